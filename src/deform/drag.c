// Drag: while a joint speeds up, what hangs on it stays behind (acceleration skinning, equation 11).
//   linear   -(1 - D(v, a)) k a
//   angular  (1 - D(w, alpha)) bend(-k |alpha x r| / L, alpha / |alpha|, r)
#include "deform/acceleration.h"

void limberi_effect_drag(const limber_effect_block* block) {
    limberi_acceleration_share(block, false);
}
