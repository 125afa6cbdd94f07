#include "parity/client/client.h"
namespace parity::client {
}
