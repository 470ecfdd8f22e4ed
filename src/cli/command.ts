/**
 * Describes a command: help, arguments and options, and work, whose values the description types.
 */
import { Argument, Command as CommanderCommand, Option, type ErrorOptions } from 'commander'
import { EXIT, UsageError, type CommandContext, type ExitCode } from './context.ts'
import { flagOf, type Input, type Inputs, type NoInputs, type ValuesOf } from './options/input.ts'
import { refuseTwoQueries } from './options/delivery-arguments.ts'
import { withRun, type CommandRun } from './session.ts'
import { usageSentence } from './usage-messages.ts'

export interface Example {
  readonly does: string
  /** The words after `countersign`, as typed in a shell. */
  readonly line: string
  readonly exits: ExitCode
  /** The reason why no test runs it; its options are checked anyway. */
  readonly notRun: string | null
}

type ExampleWords = readonly [
  does: string,
  line: string,
  more?: Partial<Pick<Example, 'exits'> & { readonly notRun: string }>,
]

function exampleLines({ does, line }: Example): string {
  return `  # ${does}\n  countersign ${line}`
}

/** Other spellings of options, for every command that has the option. */
const SPELLINGS: Readonly<Record<string, string>> = { '--out': '--output' }

export function optionTerm({ flags, long = '' }: Pick<Option, 'flags' | 'long'>): string {
  const [other] = Object.entries(SPELLINGS).find(([, name]) => name === long) ?? []
  return other === undefined ? flags : flags.replace(long, `${other}, ${long}`)
}

/** A commander command with examples, exit codes, and whether it needs a running Countersign. */
export class Command extends CommanderCommand {
  readonly examples: Example[] = []
  readonly exitCodes: { readonly code: ExitCode; readonly when: string }[] = []
  needsRunning = false

  constructor(name?: string) {
    super(name)
    this.addHelpText('after', () => this.#exampleHelp())
  }

  override createCommand(name?: string): Command {
    return new Command(name)
  }

  #fullName(): string {
    const names = [this.name()]
    for (let ancestor = this.parent; ancestor !== null; ancestor = ancestor.parent)
      names.unshift(ancestor.name())
    return names.join(' ')
  }

  override error(message: string, options?: ErrorOptions): never {
    const incomplete = this.options.find(({ flags }) => message.includes(`'${flags}'`))
    return super.error(usageSentence(message, this.#fullName(), incomplete?.argChoices), options)
  }

  addExamples(examples: readonly ExampleWords[]): this {
    for (const [does, line, { exits = 0, notRun = null } = {}] of examples)
      this.examples.push({ does, line, exits, notRun })
    return this
  }

  helpText(): string {
    const codes = this.exitCodes.map(({ code, when }) => `with ${code} if ${when}`)
    return [
      this.description(),
      ...(this.needsRunning ? ['Needs Countersign running.'] : []),
      ...(codes.length === 0 ? [] : [`Exits ${codes.join(', and ')}.`]),
    ].join(' ')
  }

  #exampleHelp(): string {
    const own = this.examples
    const shown =
      own.length > 0
        ? own
        : this.commands.flatMap((command) => (command as Command).examples.slice(0, 1))
    return shown.length === 0
      ? ''
      : `\nExamples:\n${shown.slice(0, 4).map(exampleLines).join('\n\n')}`
  }
}

/** Help for `--json` of a command that lists things. */
export const JSON_LINES = 'print JSON Lines'

interface CommandWords<Args extends Inputs, Options extends Inputs> {
  /** Help for a command in a group; the program has the summaries of all others. */
  readonly summary?: string
  readonly description: string
  /** Ends of "Exits with 1 if …", by exit code. */
  readonly exits?: Readonly<Partial<Record<'1' | '2' | '3', string>>>
  /**
   * Beginning of "… needs Countersign running", for a command that exits with 3 without it.
   */
  readonly running?: string
  readonly examples?: readonly ExampleWords[]
  /** Help for `--json`; null for a command without it. */
  readonly json?: string | null
  readonly args?: Args
  readonly options?: Options
  run(input: ValuesOf<Args> & ValuesOf<Options>, run: CommandRun): Promise<ExitCode | void>
}

export type CommandDescription = (command: Command, context: CommandContext) => void

class NamedOption extends Option {
  readonly #name: string

  constructor(name: string, input: Input<unknown>) {
    const { flags, help, choices, otherwise } = input
    super(flags.startsWith('-') ? flags : `${flagOf(name)} ${flags}`.trimEnd(), help)
    this.#name = name
    // `--no-x` is an ordinary option here: it doesn't set `x`.
    this.negate = false
    if (input.read !== undefined)
      this.argParser((text, previous) =>
        // Commander passes the default as the value before the first.
        input.read?.(text, previous === otherwise?.value ? undefined : previous),
      )
    if (choices !== undefined) this.choices(choices)
    if (otherwise !== undefined) this.default(otherwise.value, otherwise.shown)
    this.makeOptionMandatory(input.isRequired).conflicts([...input.excluded])
  }

  override attributeName(): string {
    return this.#name
  }

  is(word: string): boolean {
    return word === this.short || word === this.long || SPELLINGS[word] === this.long
  }
}

/**
 * Accepts queries that begin with a minus, such as `-is:valid`, which commander reads as options.
 * Options of one letter therefore need their value as a separate word.
 */
function acceptMinusQueries(command: Command): void {
  const parseOptions = command.parseOptions.bind(command)
  const takesNext = (word = '') =>
    command.options.some(
      ({ required, short, long }) => required && (word === short || word === long),
    )
  command.parseOptions = (words) => {
    const end = words.indexOf('--')
    const isQuery = (word: string, place: number) =>
      /^-[^-]./.test(word) && !takesNext(words[place - 1]) && (end === -1 || place < end)
    // A leading space makes the query an ordinary word with the same meaning.
    return parseOptions(words.map((word, place) => (isQuery(word, place) ? ` ${word}` : word)))
  }
  const place = command.registeredArguments.length - 1
  command.allowExcessArguments().hook('preAction', ({ args }) => {
    const words = args.slice(place).map((word) => word.trim())
    if (words.length > 1)
      throw new UsageError(`A query is one argument. Quote it: '${words.join(' ')}'.`)
  })
}

/** Adds a command's arguments, options and work, which receives their values by name. */
export function defineCommand<
  const Args extends Inputs = NoInputs,
  const Options extends Inputs = NoInputs,
>({
  summary,
  description,
  exits = {},
  running,
  examples = [],
  json = 'print a JSON object',
  args,
  options,
  run,
}: CommandWords<Args, Options>): CommandDescription {
  return (command, context) => {
    if (summary !== undefined) command.summary(summary)
    command.description(description).addExamples(examples)
    command.needsRunning = running !== undefined
    for (const [code, when] of Object.entries(exits))
      command.exitCodes.push({ code: Number(code) as ExitCode, when })
    const inputs = { arguments: Object.entries(args ?? {}), options: Object.entries(options ?? {}) }
    for (const [, input] of inputs.arguments) {
      const argument = new Argument(input.flags, input.help)
      if (input.read !== undefined)
        argument.argParser((text, previous) => input.read?.(text, previous))
      command.addArgument(argument)
    }
    for (const [name, input] of inputs.options) command.addOption(new NamedOption(name, input))
    if (json !== null) command.option('--json', json)
    if (inputs.arguments.some(([, { isQuery }]) => isQuery)) acceptMinusQueries(command)
    command.action(async () => {
      const parsedOptions: Record<string, unknown> = command.opts()
      const values: Record<string, unknown> = {}
      for (const [place, [name, { absent }]] of inputs.arguments.entries())
        values[name] = command.processedArgs[place] ?? absent
      for (const [name, { absent }] of inputs.options) {
        // An option named like the argument is another way to give the query.
        if (name in values) refuseTwoQueries(command.args[0], command.getOptionValue(name))
        values[name] = parsedOptions[name] ?? values[name] ?? absent
      }
      for (const [name, input] of Object.entries({ ...options, ...args }))
        input.check?.(values[name], context.output)
      const work = (commandRun: CommandRun) =>
        run(values as ValuesOf<Args> & ValuesOf<Options>, commandRun)
      const { data, json: asJson = false } = command.optsWithGlobals<{
        readonly data?: string
        readonly json?: boolean
      }>()
      const typed = inputs.options
        .map(([name]) => name)
        .filter((name) => command.getOptionValueSource(name) === 'cli')
      context.exit((await withRun(context, { data, asJson, running, typed }, work)) ?? EXIT.done)
    })
  }
}

/** Describes a group of commands; a group in another one has its own summary. */
export function defineGroup(
  description: string,
  members: Readonly<Record<string, CommandDescription>>,
  summary?: string,
): CommandDescription {
  return (command, context) => {
    if (summary !== undefined) command.summary(summary)
    command.description(description)
    for (const [name, describe] of Object.entries(members)) describe(command.command(name), context)
  }
}
