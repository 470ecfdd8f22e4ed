/**
 * `countersign completion`: prints a shell's completion script, which calls this command again at
 * each Tab.
 */
import { RootCommand, script } from '@bomb.sh/tab'
import type { Command as CommanderCommand } from 'commander'
import { z } from 'zod'
import { shortIdOf } from '../../shared/model/delivery-ref.ts'
import { FLOW_HOOK, type Hook } from '../../shared/model/hook.ts'
import { BUILT_IN_VIEWS } from '../../shared/model/view.ts'
import { sandboxObjectKindSchema } from '../../shared/model/sandbox.ts'
import { eventTypes } from '../../shared/service/event-type.ts'
import { defineCommand, type CommandDescription } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { argument } from '../options/input.ts'
import { readWith } from '../options/value-readers.ts'
import { createProgram } from '../program.ts'
import { withRun, type Session } from '../session.ts'

const shellSchema = z.enum(['bash', 'zsh', 'fish', 'powershell'])
type Shell = z.infer<typeof shellSchema>
const readShell = readWith(() => shellSchema, 'bash, zsh, fish or powershell')

type Proposal = readonly [value: string, meaning: string]

const MOST_DELIVERIES = 20

interface Source {
  /** Arguments and options with these values, as `command <argument>` or `command --option`. */
  readonly of: RegExp
  /** Reads the values; `client` is null if there is no data yet. */
  read(client: Session['client'] | null): Promise<readonly Proposal[]>
}

async function handlersOf(client: Session['client'] | null, sign: string): Promise<Proposal[]> {
  const list = await client?.call('handlers.list', {})
  return (list?.handlers ?? []).map(({ name, url }) => [`${sign}${name}`, url])
}

/** Sources of values; the shell itself completes file names. */
const sources: readonly Source[] = [
  {
    of: /^trigger <event>$| --event$/,
    read: async () => eventTypes.map((event) => [event, '']),
  },
  {
    of: /^sandbox (list|create) <kind>$/,
    read: async () => sandboxObjectKindSchema.options.map((kind) => [kind, '']),
  },
  {
    of: /^flow run <flow>$| --flow$/,
    async read() {
      const { builtInFlows } = await import('../../core/flows/built-in/index.ts')
      return builtInFlows().map(({ flow: { name, title } }) => [name, title])
    },
  },
  {
    of: /^check --(only|skip)$/,
    async read() {
      const { checkCases } = await import('../../core/check/cases.ts')
      return checkCases.map(({ name, title }) => [name, title])
    },
  },
  {
    of: /^(show|mark|delete|replay|shrink) <id>$|^compare <[ab]>$| --delivery$/,
    async read(client) {
      const page = await client?.call('deliveries.page', { limit: MOST_DELIVERIES })
      return [
        ['latest', 'the newest delivery'],
        ...eventTypes.map((event): Proposal => [`latest:${event}`, 'the newest of this event']),
        ...(page?.rows ?? []).map(({ id, event, verdict, receivedAt }): Proposal => [
          shortIdOf(id),
          `${event ?? 'no event'}, ${verdict}, ${receivedAt}`,
        ]),
      ]
    },
  },
  { of: /^handlers (update|use|remove) <name>$/, read: (client) => handlersOf(client, '') },
  { of: /^check <url>$| --(to|handler)$/, read: (client) => handlersOf(client, '@') },
  {
    of: /^hooks (update|rotate) <hook>$| --hook$/,
    read: (client) => hooksOf(client, ({ status }) => status !== 'deleted'),
  },
  {
    of: /^hooks remove <hook>$/,
    read: (client) => hooksOf(client, ({ remoteId }) => remoteId !== FLOW_HOOK),
  },
  {
    of: /^views remove <name>$| --view$/,
    async read(client) {
      const list = await client?.call('views.list', {})
      return [...BUILT_IN_VIEWS, ...(list?.views ?? [])].map(({ name, query }) => [name, query])
    },
  },
  {
    of: /^environments (update|use|check|remove) <name>$|^hooks sync <environment>$|^mcp --live$| --environment$/,
    async read(client) {
      const list = await client?.call('environments.list', {})
      return (list?.environments ?? []).map(({ name, mode }) => [name, mode])
    },
  },
]

async function hooksOf(
  client: Session['client'] | null,
  isOffered: (hook: Hook) => boolean,
): Promise<Proposal[]> {
  const list = await client?.call('hooks.list', {})
  return (list?.hooks ?? [])
    .filter(isOffered)
    .map(({ id, event, url }): Proposal => [id, `${event}, ${url}`])
}

function printedBy(work: () => void): string {
  const lines: string[] = []
  const { log } = console
  console.log = (line: string) => lines.push(line)
  try {
    work()
  } finally {
    console.log = log
  }
  return `${lines.join('\n')}\n`
}

/**
 * Words for bash, quoted for the script's `eval`. Replaces the function of bash-completion, which
 * isn't installed everywhere.
 */
const bashWords = `
__countersign_words() {
    local typed=\${COMP_LINE:0:COMP_POINT} index
    read -ra words <<< "$typed"
    cur=''
    [[ $typed == *[[:space:]] ]] || cur=\${words[\${#words[@]}-1]}
    for index in "\${!words[@]}"; do words[index]=$(printf %q "\${words[index]}"); done
}
__countersign_reply() {
    __countersign_complete
    local typed=\${COMP_LINE:0:COMP_POINT} ends=\${COMP_WORDBREAKS//[^:=]/}
    typed=\${typed##*[[:space:]]}
    [[ -z $ends ]] || COMPREPLY=("\${COMPREPLY[@]#"\${typed%"\${typed##*[$ends]}"}"}")
}
complete -o default -F __countersign_reply countersign
`

/**
 * Returns a shell's script; at each Tab it runs `countersign completion SHELL complete -- WORDS`.
 */
function scriptOf(shell: Shell): string {
  const text = printedBy(() => script(shell, 'countersign', `countersign completion ${shell}`))
  // A colon in a value would begin the value's meaning.
  if (shell === 'zsh') return text.replace(String.raw`//:/\:}`, String.raw`//:/\\:}`)
  if (shell !== 'bash') return text
  const bashScript = text
    // A script that is sourced twice must not fail.
    .replaceAll(/^readonly /gm, '')
    .replace('_get_comp_words_by_ref -n "=:" cur prev words cword', '__countersign_words')
    .replace(/^complete -F .*\n/m, '')
  return bashScript + bashWords
}

/** Quotes a value for bash and zsh, whose scripts unquote it. */
function quoted(value: string, shell: Shell): string {
  if (shell === 'fish' || shell === 'powershell') return value
  return value.replaceAll(/[^\p{L}\p{N}@%+=:,./_~-]/gu, String.raw`\\\$&`)
}

const plain = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')

interface CompletedTerm {
  readonly term: string
  readonly choices: readonly string[]
  readonly isFile: boolean
}

/** Registers the program's commands, with `propose` for values. */
function completerOf(
  program: CommanderCommand,
  propose: (asked: CompletedTerm) => readonly Proposal[],
): RootCommand {
  const root = new RootCommand()
  const proposing =
    (asked: CompletedTerm) => (complete: (value: string, meaning: string) => void) => {
      for (const [value, meaning] of propose(asked)) complete(value, meaning)
    }
  const add = (command: CommanderCommand, names: readonly string[]) => {
    const path = names.join(' ')
    const one = names.length === 0 ? root : root.command(path, command.summary())
    const help = command.createHelp()
    const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
    for (const { long, short, flags, description, required, argChoices = [] } of options) {
      const name = long?.slice(2) ?? ''
      const asked = {
        term: `${path} --${name}`,
        choices: argChoices,
        isFile: / <(file|dir)>$/.test(flags),
      }
      if (required) one.option(name, description, proposing(asked), short?.slice(1))
      else one.option(name, description, short?.slice(1))
    }
    for (const own of command.registeredArguments) {
      const name = own.name()
      const asked = { term: `${path} <${name}>`, choices: [], isFile: name === 'file' }
      one.argument(name, proposing(asked), own.variadic)
    }
    for (const member of help.visibleCommands(command)) add(member, [...names, member.name()])
  }
  add(program, [])
  return root
}

/**
 * Prints values with meanings, then a number that tells the shell whether to offer files. Parses
 * twice: to learn the asked term, then with its values, because the parser doesn't wait for them.
 */
async function answer(
  words: readonly string[],
  shell: Shell,
  context: CommandContext,
): Promise<string> {
  const silent = { writeOut: () => undefined, writeErr: () => undefined }
  const program = await createProgram(context, silent, words)
  let asked: CompletedTerm | null = null
  const first = printedBy(() =>
    completerOf(program, (one) => {
      asked = one
      return []
    }).parse([...words]),
  )
  const { term, choices, isFile } = (asked as CompletedTerm | null) ?? {
    term: null,
    choices: [],
    isFile: false,
  }
  if (isFile) return ':0\n'
  if (term === null) return first
  const source = sources.find(({ of }) => of.test(term))
  const data = words[words.indexOf('--data') + 1]
  const proposals = await withRun(
    context,
    {
      data: words.includes('--data') ? data : undefined,
      asJson: false,
      running: undefined,
      typed: [],
    },
    async ({ findData }) => {
      if (source === undefined) return choices.map((one): Proposal => [one, ''])
      return source.read((await findData(null))?.client ?? null)
    },
  )
  const values = proposals.map(([value, meaning]): Proposal => [
    quoted(plain(value), shell),
    plain(meaning),
  ])
  return printedBy(() => completerOf(program, () => values).parse([...words]))
}

const COMPLETE_WORD = 'complete'

export const add: CommandDescription = (command, context) => {
  defineCommand({
    description:
      'Print the completion script for your shell. It completes commands, options, and the IDs and names in your data folder. To set it up, see docs/install.md.',
    examples: [['Print the script for bash', 'completion bash']],
    json: null,
    args: { shell: argument('<shell>', 'bash, zsh, fish or powershell', readShell) },
    async run({ shell }, { output }) {
      const [ask, ...words] = command.args.slice(1)
      await output.bytes(
        Buffer.from(ask === COMPLETE_WORD ? await answer(words, shell, context) : scriptOf(shell)),
      )
    },
  })(command, context)
  // The script passes the typed words as arguments.
  command.allowExcessArguments()
}
