/** Arguments and options of commands, and the readers of their values. */
import { InvalidArgumentError } from 'commander'
import type { Output } from '../print.ts'

/** An argument or option without its name; the command's work receives its `Value`. */
export class Input<Value> {
  /** Type of the value, absent at run time. */
  declare readonly value: Value
  /** `<file>`; of an option whose flags don't follow from its name, `-o, --output <file>`. */
  readonly flags: string
  readonly help: string
  /** Value if none is given; unlike `otherwise`, a default, help doesn't show it. */
  readonly absent: Value
  readonly choices: readonly string[] | undefined
  readonly isRequired: boolean = false
  readonly otherwise: { readonly value: unknown; readonly shown: string | undefined } | undefined
  readonly excluded: readonly string[] = []
  readonly isQuery: boolean = false

  constructor(flags: string, help: string, absent: Value, read?: Input<Value>['read']) {
    this.flags = flags
    this.help = help
    this.absent = absent
    if (read !== undefined) this.read = read
  }

  /**
   * Reads the value; `previous` is its earlier value if repeated. Throws `InvalidArgumentError`.
   */
  read?(text: string, previous: Value | undefined): Value

  /** Throws or prints notes before the work begins. */
  check?(value: Value, output: Pick<Output, 'note'>): void

  with(change: Partial<Input<Value>>): Input<Value> {
    return Object.assign(new Input(this.flags, this.help, this.absent), this, change)
  }

  /** Returns a copy whose value is never undefined. */
  #withoutUndefined(change: Partial<Input<Value>>): Input<Exclude<Value, undefined>> {
    const input: Input<unknown> = this.with(change)
    return input as Input<Exclude<Value, undefined>>
  }

  required(): Input<Exclude<Value, undefined>> {
    return this.#withoutUndefined({ isRequired: true })
  }

  /** Returns a copy with a default, which help shows as `shown`. */
  default(value: Exclude<Value, undefined>, shown?: string): Input<Exclude<Value, undefined>> {
    return this.#withoutUndefined({ otherwise: { value, shown } })
  }

  conflicts(...excluded: readonly string[]): Input<Value> {
    return this.with({ excluded })
  }
}

export type Optional<Value> = Input<Value | undefined>

export type Inputs = Readonly<Record<string, Input<unknown>>>
export type NoInputs = Readonly<Record<'', Input<never>>>
export type ValuesOf<Of extends Inputs> = {
  readonly [Name in keyof Of]: NonNullable<Of[Name]>['value']
}

/** Returns an option's flag: `includeSecrets` is `--include-secrets`, unless `flags` differ. */
export function flagOf(name: string, { flags = '' }: { readonly flags?: string } = {}): string {
  const [own] = /--[\w-]+/.exec(flags) ?? []
  return own ?? `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

export function flagOption(help: string, flags = ''): Input<boolean> {
  return new Input<boolean>(flags, help, false)
}

/** Creates an option with any text, at most once. */
export function textOption(flags: string, help: string): Optional<string> {
  return new Input(flags, help, undefined, readOnce)
}

/** Creates an option with text that isn't blank, at most once. */
export function nonBlankOption(flags: string, help: string): Optional<string> {
  return new Input(flags, help, undefined, readFilled)
}

export function parsedOption<Value>(
  flags: string,
  help: string,
  read: (text: string, previous: Value | undefined) => Value,
): Optional<Value> {
  return new Input<Value | undefined>(flags, help, undefined, read)
}

export function listOption(flags: string, help: string): Input<string[]> {
  return new Input<string[]>(flags, help, [], readMany)
}

export function choiceOption<Value extends string>(
  flags: string,
  help: string,
  values: readonly Value[],
): Optional<Value> {
  return new Input<Value | undefined>(flags, help, undefined).with({ choices: values })
}

type Argument<Flags extends string, Value> = Input<
  NoInfer<Flags extends `[${string}` ? Value | undefined : Value>
>

/** Creates an argument: `<name>`, or `[name]` if it may be missing. */
export function argument<Flags extends string, Value = string>(
  flags: Flags,
  help: string,
  read?: (text: string, previous: Value | undefined) => Value,
): Argument<Flags, Value> {
  const input: Input<unknown> = new Input<Value | undefined>(flags, help, undefined, read)
  return input as Argument<Flags, Value>
}

export function omitUndefined<Values extends object>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as ReturnType<typeof omitUndefined<Values>>
}

export function readOnce(text: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('Option given twice. Use it once.')
  return text
}

/** Throws for a repeated or empty value, which an unset shell variable leaves behind. */
export function readFilled(text: string, previous: string | undefined): string {
  if (text.trim() === '') throw new InvalidArgumentError('Option needs a value.')
  return readOnce(text, previous)
}

export function readMany(text: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), text]
}
