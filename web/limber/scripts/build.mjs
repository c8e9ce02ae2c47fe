// Makes dist/ from limber.wasm and src/: `node scripts/build.mjs path/to/limber.wasm`. ./dev web does both halves.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleSource } from './style_types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const repository = path.join(root, '..', '..');
const wasm = process.argv[2];
if (!wasm) throw new Error('usage: node scripts/build.mjs path/to/limber.wasm');

// Files that did not change keep their times, so that nobody rebuilds for nothing.
function write(file, text) {
  const full = path.join(root, file);
  if (fs.existsSync(full) && fs.readFileSync(full, 'utf8') === text) return;
  fs.writeFileSync(full, text);
}

const bytes = fs.readFileSync(wasm);
const shader = fs.readFileSync(path.join(repository, 'render/shaders/limber_deform.glsl'), 'utf8');
write(
  'src/wasm.generated.ts',
  `// Made by scripts/build.mjs.\nexport const WASM_BASE64: string =\n  '${bytes.toString('base64')}';\n`,
);
write(
  'src/shader.generated.ts',
  `// Made by scripts/build.mjs from render/shaders/limber_deform.glsl.\n/** The vertex shader's half of limber: GLSL ES 3.00 without #version and main. */\nexport const SHADER: string = ${JSON.stringify(shader)};\n`,
);
write('src/style.generated.ts', await styleSource(bytes));

fs.rmSync(path.join(root, 'dist'), { recursive: true, force: true });
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
try {
  execFileSync(process.execPath, [tsc, '-p', root], { stdio: 'inherit' });
} catch {
  process.exit(1); // the compiler has said why
}
fs.writeFileSync(path.join(root, 'dist/limber.wasm'), bytes);
fs.copyFileSync(path.join(repository, 'LICENSE'), path.join(root, 'LICENSE'));
