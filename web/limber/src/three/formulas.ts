// Formulas of smears as functions of shaders. src/text/expression_code.h describes their lines.
import type { PackedFormula } from '../smear_pack.js';

const NAMES: Record<string, string> = { n13: 'speed', n14: 'offset', n15: 'number', n16: 'copies' };
const component = (index: number): string => 'xyzw'[index & 3];

interface Language {
  integer: string;
  zero(name: string): string;
  head(name: string): string;
}

const GLSL: Language = {
  integer: 'int',
  zero: (name) => `float ${name} = 0.0;`,
  head: (name) => `float limber_formula_${name}(float offset, float speed, float number, float copies, int columns)`,
};

const WGSL: Language = {
  integer: 'i32',
  zero: (name) => `var ${name}: f32 = 0.0;`,
  head: (name) => `fn limber_formula_${name}(offset: f32, speed: f32, number: f32, copies: f32, columns: i32) -> f32`,
};

function operand(token: string, { integer }: Language): string {
  const index = Number(token.slice(1));
  switch (token[0]) {
    case 'c':
      return `limber_now_at(${integer}(limber_now_at(6).w) + ${index >> 2}).${component(index)}`;
    case 'v':
      return `limber_fixed_at(columns + ${index >> 2}).${component(index)}`;
    case 'n':
      return NAMES[token];
    case 'u':
      return index < 3 ? `limber_now_at(0).${component(index)}` : token;
    default:
      return token;
  }
}

function formula({ name, lines }: PackedFormula, language: Language): string {
  const written = new Set<string>();
  const body = lines.map((line) => {
    const [out, operation, ...inputs] = line.split(' ');
    if (out === '=') return `return ${operand(operation, language)};`;
    written.add(out);
    return `${out} = limber_op_${operation}(${inputs.map((one) => operand(one, language)).join(', ')});`;
  });
  const all = [...[...written].map((one) => language.zero(one)), ...body];
  return `${language.head(name)} {\n${all.join('\n')}\n}\n`;
}

export const glslFormulas = (all: readonly PackedFormula[]): string => all.map((one) => formula(one, GLSL)).join('\n');

/** In translated code, in place of the formulas that stand there. */
export function withWgslFormulas(code: string, all: readonly PackedFormula[]): string {
  return all.reduce(
    (text, one) => text.replace(new RegExp(`fn limber_formula_${one.name}\\([^]*?\\n\\}\\n`), () => formula(one, WGSL)),
    code,
  );
}
