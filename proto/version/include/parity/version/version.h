// What this build is.
#ifndef PARITY_VERSION_VERSION_H_
#define PARITY_VERSION_VERSION_H_

#include <string_view>

namespace parity::version {

std::string_view Version();   // "0.1.0"
std::string_view Revision();  // of the source: "1a2b3c4d", with "+" if changed since, or "unknown"

}  // namespace parity::version

#endif  // PARITY_VERSION_VERSION_H_
