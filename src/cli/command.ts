/**
 * How a command is described: what help and the CLI reference say about it, its arguments and options, and its work. The types of
 * the values that the work receives follow from the description.
 */
import { Argument, Command as CommanderCommand, Option, type ErrorOptions } from 'commander'
import { EXIT, UsageError, type CommandContext, type ExitCode } from './context.ts'
import {
  flagOf,
  refuseTwoQueries,
  type Input,
  type Inputs,
  type NoInputs,
  type ValuesOf,
} from './options.ts'
import { withRun, type CommandRun } from './session.ts'

/** A command line that help and the CLI reference show. */
export interface Example {
  readonly does: string
  /** The words after `countersign`, as typed in a shell. */
  readonly line: string
  readonly exits: ExitCode
  /** Why no test runs it; its options are checked anyway. */
  readonly notRun: string | null
}

/** `does` begins with a verb. */
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

/** The option in help, with its other spelling. */
export function optionTerm({ flags, long = '' }: Pick<Option, 'flags' | 'long'>): string {
  const [other] = Object.entries(SPELLINGS).find(([, name]) => name === long) ?? []
  return other === undefined ? flags : flags.replace(long, `${other}, ${long}`)
}

/** A commander command that also holds what help and the CLI reference say about it: examples, exit codes, whether it needs a running Countersign. */
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

  /** The words that call this command, such as `countersign hooks list`. */
  #fullName(): string {
    const names = [this.name()]
    for (let above = this.parent; above !== null; above = above.parent) names.unshift(above.name())
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

  /** The description with what the command needs and how it exits. */
  helpText(): string {
    const codes = this.exitCodes.map(({ code, when }) => `with ${code} if ${when}`)
    return [
      this.description(),
      ...(this.needsRunning ? ['Needs Countersign running.'] : []),
      ...(codes.length === 0 ? [] : [`Exits ${codes.join(', and ')}.`]),
    ].join(' ')
  }

  /** A group of commands shows the first example of each. */
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

/** Help on `--json` of a command that lists things. */
export const JSON_LINES = 'print JSON Lines'

interface CommandWords<Args extends Inputs, Options extends Inputs> {
  /** Only of a command in a group; the program has the others. */
  readonly summary?: string
  readonly description: string
  /** Each completes "Exits with 1 if …". */
  readonly exits?: Readonly<Partial<Record<'1' | '2' | '3', string>>>
  /** For a command that exits with 3 unless Countersign runs on the data folder: what needs it, as the beginning of that sentence. */
  readonly running?: string
  readonly examples?: readonly ExampleWords[]
  /** What `--json` does, for help; null without that option. */
  readonly json?: string | null
  readonly args?: Args
  readonly options?: Options
  /** Returns the exit code, unless it is 0. */
  run(input: ValuesOf<Args> & ValuesOf<Options>, run: CommandRun): Promise<ExitCode | void>
}

/** Adds a command's own parts to it. */
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
 * Lets a query begin with a minus: `-is:valid`, `-(a OR b)`. Commander would read these as unknown options, `-has:json` as `-h`,
 * and `-offer:X` as `-o`. An option of one letter therefore needs its value as a separate word. The query is the last argument; the
 * error for an unquoted query shows how to quote it.
 */
function takeQuery(command: Command): void {
  const parseOptions = command.parseOptions.bind(command)
  const takesNext = (word = '') =>
    command.options.some(
      ({ required, short, long }) => required && (word === short || word === long),
    )
  command.parseOptions = (words) => {
    const end = words.indexOf('--')
    const isQuery = (word: string, place: number) =>
      /^-[^-]./.test(word) && !takesNext(words[place - 1]) && (end === -1 || place < end)
    // A leading space makes it an ordinary word with the same meaning.
    return parseOptions(words.map((word, place) => (isQuery(word, place) ? ` ${word}` : word)))
  }
  const place = command.registeredArguments.length - 1
  command.allowExcessArguments().hook('preAction', ({ args }) => {
    const words = args.slice(place).map((word) => word.trim())
    if (words.length > 1)
      throw new UsageError(`A query is one argument. Quote it: '${words.join(' ')}'.`)
  })
}

/** Describes a command. Its work gets the values of its arguments and options by their names. */
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
    const named = { arguments: Object.entries(args ?? {}), options: Object.entries(options ?? {}) }
    for (const [, input] of named.arguments) {
      const argument = new Argument(input.flags, input.help)
      if (input.read !== undefined)
        argument.argParser((text, previous) => input.read?.(text, previous))
      command.addArgument(argument)
    }
    for (const [name, input] of named.options) command.addOption(new NamedOption(name, input))
    if (json !== null) command.option('--json', json)
    if (named.arguments.some(([, { isQuery }]) => isQuery)) takeQuery(command)
    command.action(async () => {
      const given: Record<string, unknown> = command.opts()
      const values: Record<string, unknown> = {}
      for (const [place, [name, { absent }]] of named.arguments.entries())
        values[name] = command.processedArgs[place] ?? absent
      for (const [name, { absent }] of named.options) {
        // An option with an argument's name is the other way to give its query.
        if (name in values) refuseTwoQueries(command.args[0], command.getOptionValue(name))
        values[name] = given[name] ?? values[name] ?? absent
      }
      for (const [name, input] of Object.entries({ ...options, ...args }))
        input.check?.(values[name], context.output)
      const work = (its: CommandRun) => run(values as ValuesOf<Args> & ValuesOf<Options>, its)
      const { data, json: asJson = false } = command.optsWithGlobals<{
        readonly data?: string
        readonly json?: boolean
      }>()
      const typed = named.options
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

// Turns commander's messages about wrong usage into our own sentences.

const SUGGESTION = /\n\(Did you mean (?:one of )?(.+)\?\)$/

/** Messages, where `F` is an option's flags of which the long one counts, and their sentences. */
const sentences: readonly (readonly [message: string, sentence: string])[] = [
  ["missing required argument '(.*)'", 'Missing argument: $1. ADVICE'],
  ["option 'F' argument missing", '$1 needs a value. ADVICE'],
  ["required option 'F' not specified", '$1 is required. ADVICE'],
  ["option 'F' cannot be used with option 'F'", 'Use either $1 or $2.'],
  [
    "option 'F' argument '(.*)' is invalid. Allowed choices are (.+).",
    'Invalid $1 "$2". Use one of: $3.',
  ],
  // The reader of a value says what it expects, or explains itself.
  ["option 'F' argument '(.*)' is invalid. (Expected .*)", 'Invalid $1 "$2". $3'],
  ["option 'F' argument '.*' is invalid. Option (needs|given)(.*)", '$1 $2$3'],
  ["option 'F' argument '.*' is invalid. (.*)", '$2'],
  [
    "command-argument value '(.*)' is invalid for argument '(.*?)'. (Expected .*)",
    'Invalid $2 "$1". $3',
  ],
  ["command-argument value '.*' is invalid for argument '.*?'. (.*)", '$1'],
  ["unknown option '(-\\d.*)'", '"$1" looks like an option. Put -- before it.'],
  ["unknown option '(.*)'", 'Unknown option $1. ADVICE'],
  ["unknown command '(.*)'", 'Unknown command "$1". ADVICE'],
  [
    'too many arguments.*?. Expected (.+) arguments? but got (.+?):.*',
    'Too many arguments: expected $1, got $2. ADVICE',
  ],
]

/**
 * Says what happened, then what to do.
 *
 * @param command Its full name, whose help is named if there is no better advice.
 * @param choices The values of the option that the message names.
 */
function usageSentence(message: string, command: string, choices?: readonly string[]): string {
  const suggested = SUGGESTION.exec(message)?.[1]
  const otherwise =
    choices === undefined
      ? `Run "${command} --help" to see its usage.`
      : `Use one of: ${choices.join(', ')}.`
  const advice = suggested === undefined ? otherwise : `Did you mean ${suggested}?`
  const text = message.replace(SUGGESTION, '')
  for (const [pattern, sentence] of sentences) {
    const flags = pattern.replaceAll("'F'", String.raw`'(?:-\w, )?(--[\w-]+).*?'`)
    const matching = new RegExp(`^error: ${flags}$`, 's')
    if (matching.test(text)) return text.replace(matching, sentence.replace('ADVICE', advice))
  }
  return message
}
