/**
 * The reference pages of the docs, generated from the code. The text above the mark of a page is
 * handwritten.
 */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { writtenPart } from '../../scripts/lib/generated-docs.ts'
import { checkCases } from '../../src/core/check/cases.ts'
import { setupJsonSchema } from '../../src/core/setup/read-setup.ts'
import { diagnose } from '../../src/core/signature/diagnose.ts'
import type { DiagnosisInput } from '../../src/core/signature/diagnosis/diagnosis-input.ts'
import { digestEncodings } from '../../src/core/signature/diagnosis/digest-readings.ts'
import { collectMistakes } from '../../src/core/signature/diagnosis/tried-mistakes.ts'
import { secretKey, signDelivery } from '../../src/core/signature/sign.ts'
import { errorMeanings } from '../../src/shared/contract/errors.ts'
import { checkConclusionSchema, checkGroups } from '../../src/shared/model/check.ts'
import { fieldNames, fieldOf } from '../../src/shared/query/fields.ts'
import { flagWords } from '../../src/shared/query/flag-words.ts'
import { parseQuery } from '../../src/shared/query/parse.ts'
import { sectionAnchor } from '../../src/shared/service/hook-finding.ts'
import { timestampUnit } from '../../src/shared/service/timestamp-unit.ts'
import { snippetLanguages } from '../../src/shared/snippets/languages.ts'
import { commandsBelow, loadProgram, type NamedCommand } from '../support/cli-program.ts'
import { code, expectGenerated, expectPage, table, type TableRows } from '../support/docs-tables.ts'

const plain = (text: string) =>
  text.replaceAll('\n', String.raw`\n`).replaceAll(/[*_<\\]|&(?=\w+;)/g, String.raw`\$&`)

/** Returns help text as Markdown: options as code, with links to other pages. */
function markdown(text: string): string {
  return text
    .replaceAll('*', String.raw`\*`)
    .replaceAll(
      /"(countersign [^"]*)"|(?<![\w-])--[a-z][a-z-]*/g,
      (option, line?: string) => `\`${line ?? option}\``,
    )
    .replaceAll(/docs\/([a-z-]+\.md)/g, '[$1]($1)')
}

const named = (head: string, rows: readonly (readonly [string, string])[]) =>
  table(
    [head, ''],
    rows.map(([name, text]) => [code(name), markdown(text)]),
  )

function section({ name, command }: NamedCommand): string {
  const help = command.createHelp()
  const members = command.commands.map(
    (one) => `[${one.name()}](#${`${name} ${one.name()}`.replaceAll(' ', '-')})`,
  )
  const usage = `countersign ${name} ${command.usage()}`
  const codes = command.exitCodes.map(({ code: exit, when }) => `- ${exit} if ${when}`)
  const examples = command.examples.map(({ does, line }) => `# ${does}\ncountersign ${line}`)
  return [
    `${'#'.repeat(Math.min(3 + (name.match(/ /g)?.length ?? 0), 5))} ${name}`,
    `${markdown(command.description())}${command.needsRunning ? ' Needs Countersign running.' : ''}`,
    ...(members.length === 0
      ? [`\`\`\`text\n${usage}\n\`\`\``]
      : [`Commands: ${members.join(', ')}.`]),
    named(
      'argument',
      help
        .visibleArguments(command)
        .map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]),
    ),
    named(
      'option',
      help
        .visibleOptions(command)
        .filter(({ long }) => long !== '--help')
        .map((option) => [help.optionTerm(option), help.optionDescription(option)]),
    ),
    ...(codes.length === 0 ? [] : [`Exit codes:\n\n${codes.join('\n')}`]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n\n')}\n\`\`\``]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

test('docs/cli.md', async () => {
  const program = await loadProgram()
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup())
  const index = [...groups].map(
    ([group, commands]) =>
      `- ${group} ${commands.map((command) => `[${command.name()}](#${command.name()})`).join(', ')}`,
  )
  await expectGenerated('docs/cli.md', [
    '## Commands',
    index.join('\n'),
    ...commandsBelow(program).map(section),
  ])
})

test('docs/check-cases.md', async () => {
  const groups = Object.entries(checkGroups).map(([group, title]) => {
    const cases = checkCases
      .filter((one) => one.group === group)
      .map(({ name, title: what, severity, section: number, sends, expected }) => {
        const link = `[spec ${number}](service.md#${sectionAnchor(number)})`
        return `### ${name}\n\n${plain(what)}. ${plain(sends)}\n\nExpected: ${plain(expected).replace(/\.$/, '')}. (${severity}, ${link})`
      })
    return `## ${title} (\`${group}\`)\n\n${cases.join('\n\n')}`
  })
  await expectGenerated('docs/check-cases.md', groups)
  const causes = readFileSync('docs/check-cases.md', 'utf8').matchAll(/^\| `([a-z-]+)`/gm)
  expect([...causes].map(([, cause]) => cause)).toEqual(checkConclusionSchema.shape.cause.options)
})

test('countersign.schema.json', () =>
  expectPage(resolve('countersign.schema.json'), JSON.stringify(setupJsonSchema())))

test('docs/errors.md', () =>
  expectGenerated(
    'docs/errors.md',
    Object.entries(errorMeanings).map(
      ([name, meaning]) => `## ${name}\n\n${meaning.replace(/ \(docs\/([^)]+)\)$/, ' [More]($1)')}`,
    ),
  ))

test('docs/query.md', async () => {
  const words = (of: 'is' | 'has') =>
    table(
      ['word', 'finds'],
      flagWords(of).map(({ word, doc }) => [code(`${of}:${word}`), plain(doc)]),
    )
  const fields = fieldNames.map((name) => {
    const field = fieldOf(name)
    const values = field.kind === 'choice' ? Object.keys(field.values).map(code).join(', ') : ''
    const doc = plain(field.doc) + (values === '' ? '' : ` Values: ${values}.`)
    return [code(`${name}:`), doc, code(field.example)]
  })
  await expectGenerated('docs/query.md', [
    '## Fields',
    table(['field', 'finds', 'example'], fields),
    '### is:',
    words('is'),
    '### has:',
    words('has'),
  ])
  const shown = writtenPart(readFileSync('docs/query.md', 'utf8'))
  for (const [, query = ''] of shown.matchAll(/(?<=^\| [^|]*)`([^`]+)`/gm))
    expect(() => parseQuery(query), query).not.toThrow()
})

const FAMILIES = ['secret', 'passes', 'encoding', 'url', 'timestamp', 'body', 'order']

/** Deliveries with something for each mistake: secret, URL, timestamp and body. */
const DELIVERIES = [
  [
    'whsec_C0FFEE12C0FFEE12C0FFEE12',
    'https://hooks.example.com/h/Refunds?b=2&a=1#top',
    '1763700000123',
    '{"2":"Café/ <b>\u2028","1":10.00,"a":{},"a":null,"d":"2025-11-21T04:40:00.000Z"}',
  ],
  [
    '  " c0ffee\u200b"\t',
    'https://user@www.Example.com:8443//h/%41%2f?a=1&amp;B=é+2 ',
    ' 1763700000123',
    '{"text":"caf\\u00e9+%41"}',
  ],
  ['"quoted"', 'https://xn--caf-dma.example/h/', '1763700000', '\ufeff"e\u0301"'],
  ['c0ffee12', 'http://localhost:3000/h', 'Fri, 21 Nov 2025 04:40:00 GMT', ' a\r\n'],
  ['secret', 'https://example.com', '1', '\xe9'],
  ['C0FFEE-12+C0FFEE\\n%41$a#xyzzy', 'https://example.com', '1763700000123, 1763700000124', ''],
] as const

const secretKinds = [
  'stored',
  'previous',
  'other-hook',
  'other-environment',
  'deleted-hook',
  'api-key',
] as const
const urlKinds = ['stored', 'local', 'other-hook'] as const
const timestampKinds = ['date-header', 'other-header', 'receipt'] as const

const inputs = DELIVERIES.map(([secret, url, timestamp, body]): DiagnosisInput => ({
  body: Buffer.from(body, body === '\xe9' ? 'latin1' : 'utf8'),
  url,
  timestamp,
  received: '',
  key: secretKey(secret),
  isSecretGiven: true,
  signer: 'user',
  otherSecrets: secretKinds.map((kind) => ({
    kind,
    owner: kind === 'api-key' ? 'an API key' : 'the hook for card.linked',
    key: secretKey(kind),
  })),
  otherUrls: urlKinds.map((kind) => ({ kind, url: `https://${kind}.example/h` })),
  otherTimestamps: timestampKinds.map((kind) => ({
    kind,
    text: `1763700001${100 + kind.length}`,
    where: `the ${kind.replace('-', ' ')}`,
  })),
  otherBodies: [{ encoding: 'gzip', body: Buffer.from('before') }],
}))

/** Digests of every size, so that no hash is left out. */
const readings = [16, 20, 32, 48, 64].map((size) => ({
  digest: Buffer.alloc(size),
  mistake: null,
}))
/** All orders with all separators are too many to list. */
const UNLISTED = /^order:(?!separator).*-(?!only|body|url|timestamp)\w+$/

/** Returns each cause with its sentence, as for the first delivery that shows it. */
function causesOf() {
  const said = new Map<string, string>()
  const add = ([cause = '']: readonly string[], what: string) => {
    if (!said.has(cause) && !UNLISTED.test(cause)) said.set(cause, what)
  }
  for (const input of inputs)
    for (const { causes, what } of collectMistakes(input, readings).singles) add(causes, what)
  for (const [name, what] of Object.entries(digestEncodings)) add([`encoding:${name}`], what)
  const [input] = inputs
  const { signature } = signDelivery(input!)
  for (const received of [signature.slice(0, 30), signature.toLowerCase()]) {
    const found = diagnose({ ...input!, received })
    add(found?.causes ?? [], found?.message ?? '')
  }
  for (const header of ['0x19aa4e7d97b', '+1763700000123', ' 1763700000123']) {
    const unit = timestampUnit(header)
    add([unit?.cause ?? ''], `Timestamp is ${unit?.text}.`)
  }
  return said
}

test('docs/diagnosis.md', async () => {
  const said = causesOf()
  const rowsOf = (family: string): TableRows =>
    [...said]
      .filter(([cause]) => cause.startsWith(`${family}:`))
      .map(([cause, what]) => [code(cause), plain(what)])
  const languages = snippetLanguages.map(({ id, name, run }) => [plain(name), code(id), code(run)])
  await expectGenerated('docs/diagnosis.md', [
    ...FAMILIES.flatMap((family) => [
      `## ${family}:`,
      table(['cause', 'for example'], rowsOf(family)),
    ]),
    '## Languages',
    table(['language', '`--snippet`', 'run'], languages),
  ])
  const sources = globSync([
    'src/core/signature/{diagnose,diagnosis/*}.ts',
    'src/shared/service/timestamp-unit.ts',
  ])
  const written = sources
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => readFileSync(path, 'utf8').match(/'[a-z]+:[a-z0-9-]*[a-z0-9]'/g) ?? [])
    .map((text) => text.slice(1, -1))
    .filter((text) => FAMILIES.some((family) => text.startsWith(`${family}:`)))
  expect(written.filter((cause) => !said.has(cause))).toEqual([])
})
