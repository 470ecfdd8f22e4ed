/** Keeps the commands in `docs/cli.md` equal to the program's own description. The text above the mark is handwritten. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { commandsBelow, loadProgram, type NamedCommand } from '../support/cli-program.ts'
import { expectPage } from '../support/docs-tables.ts'

const MARK =
  '<!-- Everything below is generated from the commands: npx vitest run test/golden -u -->'

/** Help text as Markdown: options as code, with links to other pages. */
function markdown(text: string): string {
  return text
    .replaceAll('|', String.raw`\|`)
    .replaceAll('*', String.raw`\*`)
    .replaceAll(
      /"(countersign [^"]*)"|(?<![\w-])--[a-z][a-z-]*/g,
      (option, line?: string) => `\`${line ?? option}\``,
    )
    .replaceAll(/docs\/([a-z-]+\.md)/g, '[$1]($1)')
}

function table(head: string, rows: readonly (readonly [string, string])[]): string[] {
  if (rows.length === 0) return []
  return [
    [
      `| ${head} | |`,
      '| --- | --- |',
      ...rows.map(
        ([name, text]) => `| \`${name.replaceAll('|', String.raw`\|`)}\` | ${markdown(text)} |`,
      ),
    ].join('\n'),
  ]
}

function section({ name, command }: NamedCommand): string {
  const help = command.createHelp()
  const members = command.commands.map(
    (one) => `[${one.name()}](#${`${name} ${one.name()}`.replaceAll(' ', '-')})`,
  )
  const usage = `countersign ${name} ${command.usage()}`
  const codes = command.exitCodes.map(({ code, when }) => `- ${code} if ${when}`)
  const examples = command.examples.map(({ does, line }) => `# ${does}\ncountersign ${line}`)
  return [
    `${'#'.repeat(Math.min(3 + (name.match(/ /g)?.length ?? 0), 5))} ${name}`,
    `${markdown(command.description())}${command.needsRunning ? ' Needs Countersign running.' : ''}`,
    ...(members.length === 0
      ? [`\`\`\`text\n${usage}\n\`\`\``]
      : [`Commands: ${members.join(', ')}.`]),
    ...table(
      'argument',
      help
        .visibleArguments(command)
        .map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]),
    ),
    ...table(
      'option',
      help
        .visibleOptions(command)
        .filter(({ long }) => long !== '--help')
        .map((option) => [help.optionTerm(option), help.optionDescription(option)]),
    ),
    ...(codes.length === 0 ? [] : [`Exit codes:\n\n${codes.join('\n')}`]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n\n')}\n\`\`\``]),
  ].join('\n\n')
}

test('the CLI reference', async () => {
  const program = await loadProgram()
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup())
  const index = [...groups].map(
    ([group, commands]) =>
      `- ${group} ${commands.map((command) => `[${command.name()}](#${command.name()})`).join(', ')}`,
  )
  const file = join(import.meta.dirname, '../../docs/cli.md')
  const [written = ''] = (await readFile(file, 'utf8')).split(MARK)
  const parts = [
    written.trim(),
    MARK,
    '## Commands',
    index.join('\n'),
    ...commandsBelow(program).map(section),
  ]
  await expectPage(file, parts.join('\n\n'))
})
