// dist/cjs: the same modules for require(), with their own package.json; and source maps that stand alone.
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const filesIn = (folder, end) =>
  fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(end) && !name.startsWith('cjs'));

/** Generated modules are data: their maps would only repeat it. */
export function trimMaps(dist) {
  for (const name of filesIn(dist, '.generated.js.map')) fs.rmSync(path.join(dist, name));
  for (const name of filesIn(dist, '.generated.js')) {
    const file = path.join(dist, name);
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
  }
}

// There is only one limber.wasm, in the folder above; in a script there is no import.meta.
function adapt(name, text) {
  if (name === 'wasm.generated.ts')
    return "import fs from 'node:fs';\nexport const WASM_BASE64: string = fs.readFileSync(`${__dirname}/../limber.wasm`, 'base64');\n";
  return text
    .replaceAll("new URL('./limber", "new URL('../limber")
    .replaceAll('import.meta.url', "require('node:url').pathToFileURL(__filename).href");
}

export function writeCommonJs(source, dist) {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
  for (const name of filesIn(source, '.ts')) {
    const text = adapt(name, fs.readFileSync(path.join(source, name), 'utf8'));
    const file = path.join(dist, 'cjs', name.replace(/ts$/, 'js'));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, ts.transpileModule(text, { compilerOptions, fileName: name }).outputText);
  }
  for (const name of filesIn(dist, '.d.ts')) fs.copyFileSync(path.join(dist, name), path.join(dist, 'cjs', name));
  fs.writeFileSync(path.join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
}
