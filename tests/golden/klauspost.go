// Writes the cases of klauspost.txt: parity computed by github.com/klauspost/reedsolomon.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"

	"github.com/klauspost/reedsolomon"
)

type shape struct{ k, m int }

var lengths = []int{1, 16, 33, 100, 257}

// README.md has the formula.
func dataByte(shard, offset int) byte {
	x := uint32(shard)*65536 + uint32(offset) + 1
	x = (x ^ x>>16) * 0x85ebca6b
	x = (x ^ x>>13) * 0xc2b2ae35
	return byte(x ^ x>>16)
}

func printCase(out *bufio.Writer, code, matrix string, s shape, shardBytes int, option ...reedsolomon.Option) {
	encoder, err := reedsolomon.New(s.k, s.m, option...)
	if err != nil {
		log.Fatal(err)
	}
	shards := make([][]byte, s.k+s.m)
	for shard := range shards {
		shards[shard] = make([]byte, shardBytes)
		for i := 0; shard < s.k && i < shardBytes; i++ {
			shards[shard][i] = dataByte(shard, i)
		}
	}
	if err := encoder.Encode(shards); err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(out, "case %s %s %d %d %d\n", code, matrix, s.k, s.m, shardBytes)
	for shard := s.k; shard < s.k+s.m; shard++ {
		fmt.Fprintf(out, "parity %d %x\n", shard, shards[shard])
	}
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	cases := 0
	small := []shape{{1, 1}, {4, 2}, {6, 3}, {5, 5}, {8, 4}, {12, 4}, {10, 4}, {17, 3}}
	large := []shape{{20, 12}, {2, 254}, {201, 55}}
	for _, family := range []struct {
		code, matrix string
		small, large []shape
		option       []reedsolomon.Option
	}{
		{"rs", "systematic-vandermonde", small, large, nil},
		{"rs", "cauchy", small, large, []reedsolomon.Option{reedsolomon.WithCauchyMatrix()}},
		{"xor", "none", []shape{{1, 1}, {2, 1}, {5, 1}, {17, 1}}, []shape{{255, 1}},
			[]reedsolomon.Option{reedsolomon.WithFastOneParityMatrix()}},
	} {
		for _, s := range family.small {
			for _, shardBytes := range lengths {
				printCase(out, family.code, family.matrix, s, shardBytes, family.option...)
				cases++
			}
		}
		for _, s := range family.large {
			printCase(out, family.code, family.matrix, s, 16, family.option...)
			cases++
		}
	}
	fmt.Fprintf(out, "end %d\n", cases)
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
