#include "parity/endpoint/descriptor.h"

#include <unistd.h>

namespace parity::endpoint {

Descriptor::~Descriptor() {
  if (fd_ != -1) close(fd_);
}

}  // namespace parity::endpoint
