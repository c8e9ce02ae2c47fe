"""Matrices (…, 4, 4) and limber's transforms (…, 10): tx ty tz  qx qy qz qw  sx sy sz. No Blender in here."""
import numpy as np

# limber is Y up, Blender Z up: limber's (x, y, z) is Blender's (x, -z, y).
LIMBER_FROM_BLENDER = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)


def inverse(matrices):
    """Of affine matrices. What has no size is given one, so that nothing is infinite."""
    m = np.asarray(matrices, float)
    linear = m[..., :3, :3]
    flat = np.abs(np.linalg.det(linear)) < 1e-18
    if np.any(flat):
        linear = np.where(flat[..., None, None], linear + 1e-4 * np.eye(3), linear)
        still = np.abs(np.linalg.det(linear)) < 1e-24
        linear = np.where(still[..., None, None], np.eye(3), linear)
    out = np.zeros(m.shape)
    out[..., :3, :3] = np.linalg.inv(linear)
    out[..., :3, 3] = -np.einsum("...ij,...j->...i", out[..., :3, :3], m[..., :3, 3])
    out[..., 3, 3] = 1
    return out


def rows_of(matrices):
    """Translation, rotation and scale. Shear is lost."""
    m = np.asarray(matrices, float)
    scale = np.linalg.norm(m[..., :3, :3], axis=-2)
    scale = np.where(np.linalg.det(m[..., :3, :3])[..., None] < 0, -scale, scale)
    rotation = m[..., :3, :3] / np.where(np.abs(scale) > 1e-12, scale, 1)[..., None, :]
    return np.concatenate([m[..., :3, 3], quaternions(rotation), scale], -1)


def matrix_of(row):
    """(4, 4) of a transform (10,)."""
    x, y, z, w = row[3:7]
    found = np.eye(4)
    found[:3, :3] = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                              [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                              [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]) * row[7:]
    found[:3, 3] = row[:3]
    return found


def quaternions(r):
    """x y z w of rotation matrices, by the largest of the four, which is never near 0."""
    xx, yy, zz = r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]
    zy, xz, yx = r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]
    xy, xz_, yz = r[..., 1, 0] + r[..., 0, 1], r[..., 2, 0] + r[..., 0, 2], r[..., 2, 1] + r[..., 1, 2]
    all_four = np.stack([
        np.stack([1 + xx - yy - zz, xy, xz_, zy], -1), np.stack([xy, 1 - xx + yy - zz, yz, xz], -1),
        np.stack([xz_, yz, 1 - xx - yy + zz, yx], -1), np.stack([zy, xz, yx, 1 + xx + yy + zz], -1)], -2)
    best = np.argmax(np.stack([xx - yy - zz, yy - xx - zz, zz - xx - yy, xx + yy + zz], -1), -1)
    q = np.take_along_axis(all_four, best[..., None, None], -2)[..., 0, :]
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(length > 1e-12, q / np.where(length > 1e-12, length, 1), [0, 0, 0, 1])


def product(a, b):
    """Of quaternions."""
    ax, ay, az, aw = np.moveaxis(np.asarray(a), -1, 0)
    bx, by, bz, bw = np.moveaxis(np.asarray(b), -1, 0)
    return np.stack([aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                     aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz], -1)


def steady(local):
    """Rows (F, J, 10) without the noise of float matrices: what stays the same to six digits stays the same."""
    out = local.copy()
    flip = np.einsum("fji,ji->fj", out[..., 3:7], out[0, :, 3:7]) < 0
    out[..., 3:7] = np.where(flip[..., None], -out[..., 3:7], out[..., 3:7])
    reach = max(np.abs(out[..., :3]).max(initial=0), 1e-9)
    for part, size in ((slice(0, 3), reach), (slice(3, 7), 1.0), (slice(7, 10), 1.0)):
        still = np.ptp(out[..., part], axis=0).max(-1) < 2e-6 * size
        out[:, still, part] = out[:1, still, part]
    return out
