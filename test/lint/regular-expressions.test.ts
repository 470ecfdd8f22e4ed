/**
 * Shows that every regular expression of the source takes linear time: each is run on strings made
 * from the expression to make it slow. Half of them read text from elsewhere, and which half
 * changes.
 */
import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'
import { attacksOn, type Attack } from '../support/attack-strings.ts'

/** Expressions made at run time, with the reason why they are linear. */
const madeAtRunTime: Readonly<Record<string, string>> = {
  'src/cli/print.ts': 'A fixed text, then digits that end at a character which is no digit.',
  'src/cli/usage-messages.ts':
    "Commander's own messages, whose only part from elsewhere is what was typed.",
  'src/core/flows/flow-file-problems.ts': 'Only reads whether the pattern of a flow file is valid.',
  'src/core/lifecycle/request-headers.ts': 'Fixed names, with one wildcard each.',
  'src/core/sharing/placeholders.ts': 'Limited numbers of digits, each between other characters.',
  'src/renderer/ui/problem-view.tsx':
    'Ends at the end of the text, so its first beginning matches.',
  'src/renderer/ui/visible-text.ts': 'Single characters, some with one or two before or after.',
  'src/shared/pasted/byte-spaces.ts':
    'One sticky run of spaces, and one space in the last three characters.',
  'src/shared/pasted/shell-words.ts':
    'Alternatives that this test runs one by one; pasted-request.test.ts runs them together.',
  'src/shared/query/search-words.ts': 'Character classes without a second quantifier.',
  'src/shared/query/term-name.ts': 'Paths of a query: see the test of queries in parse.test.ts.',
  'src/shared/service/field.ts': 'A fixed number of digits.',
  'src/shared/text/printable.ts': 'Single characters, some with one or two before or after.',
}

function expressionsOf(file: string): { literals: RegExp[]; made: string[] } {
  const text = readFileSync(file, 'utf8')
  const literals: RegExp[] = []
  const made: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, regex, callee, start, end } = node as {
      type?: string
      regex?: { pattern: string; flags: string }
      callee?: { name?: string }
      start?: number
      end?: number
    }
    if (type === 'Literal' && regex !== undefined)
      literals.push(new RegExp(regex.pattern, regex.flags))
    if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp')
      made.push(text.slice(start, end))
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(parseSync(file, text).program)
  return { literals, made }
}

/** Lengths that show exponential time, which longer strings would make endless. */
const FEW = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 32, 36, 40, 50, 65, 85, 120]
const SOME = [65, 500]
/** Lengths that tell the worst attacks, and lengths at which quadratic time of those shows. */
const [MORE, MANY] = [2_000, [20_000, 160_000]]
/** Processor time in milliseconds. Linear searches take one or two, others a second or more. */
const MOST_MS = 150

const textOf = ({ prefix, pump, suffix }: Attack, characters: number) =>
  prefix + pump.repeat(Math.ceil(characters / pump.length)) + suffix

function run(expression: RegExp, text: string): void {
  expression.lastIndex = 0
  if (expression.sticky) expression.test(text)
  else text.replace(expression, '')
}

/** Returns the processor time of this thread in milliseconds, which other programs don't affect. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Returns the string of a length whose search took too long, or null. */
function tooLong(expression: RegExp, attacks: readonly Attack[], characters: number) {
  const [began, processorBegan] = [performance.now(), processorMs()]
  for (const attack of attacks) {
    run(expression, textOf(attack, characters))
    if (performance.now() - began > MOST_MS && processorMs() - processorBegan > MOST_MS)
      return { attack, characters }
  }
  return null
}

/** Returns the slowest attacks by the wall clock, which is finer than processor time. */
function worstOf(expression: RegExp, attacks: readonly Attack[]): Attack[] {
  return attacks
    .map((attack) => {
      const text = textOf(attack, MORE)
      const began = performance.now()
      run(expression, text)
      return { attack, ms: performance.now() - began }
    })
    .toSorted((one, other) => other.ms - one.ms)
    .filter(({ ms }, index) => index < 3 || (index < 8 && ms > 0.2))
    .map(({ attack }) => attack)
}

/** Returns an attack that takes longer than linear time, with its length; null if none does. */
function slowest(expression: RegExp) {
  const attacks = attacksOn(expression)
  const repeatsGroup = /\)[*+{]/.test(expression.source)
  for (const characters of [...(repeatsGroup ? FEW : []), ...SOME]) {
    const slowAttack = tooLong(expression, attacks, characters)
    if (slowAttack !== null) return slowAttack
  }
  const worst = worstOf(expression, attacks)
  for (const characters of MANY)
    for (const attack of worst) {
      const slowAttack = tooLong(expression, [attack], characters)
      if (slowAttack !== null) return slowAttack
    }
  return null
}

test('attacks are found: on nested quantifiers, on those that exchange characters, and on what starts again', () => {
  for (const expression of [
    /^(?:a+)+$/,
    /^[\w-]+(?:\w+)*=/,
    /^(\d+)\d*\d+x/,
    /^content-length:[ \t]*(.*?)[ \t]*$/im,
    /\s+$/,
    /\$\{([^}]*)\}/,
  ])
    expect(slowest(expression), String(expression)).not.toBeNull()
  for (const expression of [/(?<!\s)\s+$/, /"(?:[^"\\]|\\.)*"?/g, /^\d+(?:\.\d+)?$/, /a+b/y])
    expect(slowest(expression), String(expression)).toBeNull()
})

test('every regular expression takes linear time', () => {
  const all = globSync('src/**/*.{ts,tsx}', { exclude: ['**/*.test.*'] }).map((file) => ({
    file: file.replaceAll('\\', '/'),
    ...expressionsOf(file),
  }))
  expect(all.flatMap(({ file, made }) => (made.length > 0 ? [file] : [])).toSorted()).toEqual(
    Object.keys(madeAtRunTime),
  )
  const distinct = new Map(
    all.flatMap(({ file, literals }) =>
      literals.map((expression) => [String(expression), { file, expression }] as const),
    ),
  )
  expect(distinct.size).toBeGreaterThan(400)
  const slow = [...distinct.values()].flatMap(({ file, expression }) => {
    const slowAttack = slowest(expression)
    return slowAttack === null
      ? []
      : [`${file}: ${String(expression)} on ${JSON.stringify(slowAttack)}`]
  })
  expect(slow).toEqual([])
})
