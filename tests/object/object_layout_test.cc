#include "parity/client/object_layout.h"

#include "gtest/gtest.h"
#include "memory_object.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

TEST(ObjectLayout, DefaultCellsOfAStripeHoldAtMost8MiB) {
  EXPECT_EQ(DefaultCellBytes(ReedSolomon(4, 2)), 1u << 20);
  EXPECT_EQ(DefaultCellBytes(ReedSolomon(5, 3)), 1u << 20);
  EXPECT_EQ(DefaultCellBytes(ReedSolomon(6, 3)), 1u << 19);
  EXPECT_EQ(DefaultCellBytes(*codec::Geometry::Make(codec::Code::kRaid6, 255, 2)), 1u << 14);
}

TEST(ObjectLayout, NamesTheFieldAtFault) {
  const codec::Geometry geometry = ReedSolomon(4, 4);
  EXPECT_EQ(codec::FieldOf(ObjectLayout::Make(geometry, 0, 1).status()), "cell_bytes");
  EXPECT_TRUE(ObjectLayout::Make(geometry, 1u << 27, 1).ok());
  EXPECT_EQ(codec::FieldOf(ObjectLayout::Make(geometry, (1u << 27) + 1, 1).status()), "cell_bytes");
  EXPECT_TRUE(ObjectLayout::Make(geometry, 1, kMaxObjectBytes).ok());
  EXPECT_EQ(codec::FieldOf(ObjectLayout::Make(geometry, 1, kMaxObjectBytes + 1).status()),
            "object_bytes");
}

TEST(ObjectLayout, LastStripeHasShorterCells) {
  const ObjectLayout layout = *ObjectLayout::Make(ReedSolomon(3, 2), 10, 67);
  EXPECT_EQ(layout.stripes(), 3u);
  EXPECT_EQ(layout.cell_bytes(1), 10u);
  EXPECT_EQ(layout.cell_bytes(2), 3u);  // of 7 bytes
  EXPECT_EQ(layout.data_bytes(1), 30u);
  EXPECT_EQ(layout.data_bytes(2), 7u);
  EXPECT_EQ(layout.object_offset(2), 60u);
  EXPECT_EQ(layout.shard_offset(2), 20u);
  EXPECT_EQ(layout.shard_bytes(), 23u);
}

TEST(ObjectLayout, EmptyObjectHasNoStripes) {
  const ObjectLayout layout = *ObjectLayout::Make(ReedSolomon(3, 2), 10, 0);
  EXPECT_EQ(layout.stripes(), 0u);
  EXPECT_EQ(layout.shard_bytes(), 0u);
}

TEST(ObjectLayout, FullStripesLeaveNoRest) {
  const ObjectLayout layout = *ObjectLayout::Make(ReedSolomon(3, 2), 10, 60);
  EXPECT_EQ(layout.stripes(), 2u);
  EXPECT_EQ(layout.cell_bytes(1), 10u);
  EXPECT_EQ(layout.shard_bytes(), 20u);
}

}  // namespace
}  // namespace parity::client
