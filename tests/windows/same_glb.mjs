// Whether two .glb files are the same but for rounding: node same_glb.mjs EXPECTED FOUND. Sines and roots of other C
// libraries differ in the last bits.
import fs from 'node:fs'

const [expected, found] = process.argv.slice(2).map(read)
const components = { 5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array }
const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }

function read(path) {
  const bytes = fs.readFileSync(path)
  const length = bytes.readUInt32LE(12)
  return { json: JSON.parse(bytes.toString('utf8', 20, 20 + length)), binary: bytes.subarray(28 + length) }
}

function fail(place, a, b) {
  console.error(`${place}: ${a} expected, ${b} found`)
  process.exit(1)
}

// Sizes are those of a character: metres.
function compareNumbers(place, a, b) {
  if (Math.abs(a - b) > 1e-4 + 1e-4 * Math.abs(a)) fail(place, a, b)
}

function compare(place, a, b) {
  if (typeof a !== typeof b || Array.isArray(a) !== Array.isArray(b)) fail(place, a, b)
  if (typeof a === 'number') return compareNumbers(place, a, b)
  if (a === null || typeof a !== 'object') return a === b || fail(place, a, b)
  const keys = Object.keys(a)
  if (keys.join() !== Object.keys(b).join()) fail(place, keys, Object.keys(b))
  for (const key of keys) compare(`${place}.${key}`, a[key], b[key])
}

function values(file, accessor) {
  const view = file.json.bufferViews[accessor.bufferView]
  const Type = components[accessor.componentType]
  const start = file.binary.byteOffset + (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0)
  const count = accessor.count * widths[accessor.type]
  return new Type(file.binary.buffer.slice(start, start + count * Type.BYTES_PER_ELEMENT))
}

compare('root', expected.json, found.json)
let numbers = 0
expected.json.accessors.forEach((accessor, i) => {
  if (accessor.bufferView === undefined) return
  const a = values(expected, accessor)
  const b = values(found, found.json.accessors[i])
  a.forEach((value, k) => compareNumbers(`accessors[${i}][${k}]`, value, b[k]))
  numbers += a.length
})
if (!numbers) fail('accessors', 'numbers', 'none')
