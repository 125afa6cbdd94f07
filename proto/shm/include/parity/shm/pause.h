// What a thread does between two looks at memory that another one will change.
#ifndef PARITY_SHM_PAUSE_H_
#define PARITY_SHM_PAUSE_H_

namespace parity::shm {

// Leaves the core's resources to its other hardware thread for some cycles.
inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace parity::shm

#endif  // PARITY_SHM_PAUSE_H_
