/**
 * Checks the commands in our messages: every `countersign …` in a source string is tried on the
 * real program, and an option outside such a line must belong to the commands that print the
 * message.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { parseSync } from 'vite'
import { loadProgram } from '../support/cli-program.ts'

/** Placeholder for a value in a message. */
const FILLED_IN = 'X'

/**
 * Commands that can print a file's messages; files of `src/cli/commands` are named after their
 * commands.
 */
const printedBy: Readonly<Record<string, readonly string[]>> = {
  'cli/passphrase.ts': ['export', 'import'],
  'cli/command-line.ts': [],
  'cli/delivery-body.ts': ['replay', 'show'],
  'cli/replay-outcome.ts': ['replay', 'send'],
  'cli/delivery-sends.ts': ['replay', 'shrink'],
  'cli/options/body-option.ts': ['sign', 'verify'],
  'cli/options/secret-options.ts': ['sign', 'verify'],
  'cli/output-file.ts': ['export', 'types'],
  'cli/signature-text.ts': ['verify'],
  'core/outgoing/replay-edits.ts': ['replay'],
  'core/outgoing/wire/guarded-sender.ts': ['replay', 'forward', 'shrink', 'check', 'flow run'],
  'core/outgoing/wire/target-policy.ts': ['replay', 'forward', 'shrink', 'check', 'flow run'],
  'core/flows/run-step.ts': ['flow run'],
  'core/check/valid-cases.ts': ['check'],
  'core/check/prepare-check.ts': ['check'],
  'core/check/run-cases.ts': ['check'],
  'core/check/signature-evidence.ts': ['check'],
  'core/check/signature-suspects.ts': ['check'],
  'core/check/payloads.ts': ['check'],
  'core/hooks/environments.ts': ['environments update'],
  'core/hooks/live-guard.ts': [
    'replay',
    'forward',
    'shrink',
    'check',
    'flow run',
    'trigger',
    'hooks add',
    'hooks update',
    'hooks rotate',
  ],
  'core/hooks/registration.ts': ['hooks add', 'hooks update'],
  'core/lifecycle/missing-events.ts': ['hooks add'],
  'core/outgoing/admit.ts': ['check'],
  'cli/comparison-options.ts': ['replay'],
  'core/replaying/comparison-rules.ts': ['replay'],
  'core/replaying/comparison-start.ts': ['replay'],
  'core/replaying/composed-requests.ts': ['send'],
  'core/replaying/replay-run.ts': ['replay'],
  'core/replaying/replays.ts': ['replay'],
  'core/sandbox/service.ts': ['environments update'],
  'core/sandbox/trigger.ts': ['hooks add'],
  'loopback/bind-address.ts': ['serve'],
  'shared/import-export/import-file.ts': ['import'],
  'renderer/features/replay/baseline-choice.tsx': ['replay'],
  'renderer/ui-state/delivery-actions.ts': ['shrink'],
  'loopback/host-policy.ts': ['serve'],
  'loopback/loopback-host.ts': ['serve'],
  'loopback/refusals.ts': ['serve'],
  'shared/contract/nouns/flows.ts': ['flow run'],
  'shared/contract/nouns/replay.ts': ['send'],
  'shared/model/flow.ts': ['flow run'],
  'shared/model/handler.ts': ['handlers add'],
  'shared/model/signature.ts': ['environments update'],
  'shared/contract/errors.ts': ['replay', 'forward', 'trigger', 'hooks add'],
}

/** Strings for other programs: curl, package managers, Node, CSS. */
const FOREIGN =
  /\bcurl\b|--(?:cacert|data-(?:binary|raw)|env-file)\b|\bnode --test\b|winget |npm install|^--(?:heap|semi)-|var\(--|\(--[a-z-]+\)|[;{]--[a-z-]+:/

const program = await loadProgram()

interface Text {
  readonly file: string
  readonly text: string
}

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Returns the text of a JSX element, with its expressions filled in. */
function shownText(node: unknown): string {
  if (!isNode(node)) return ''
  if (node['type'] === 'JSXText') return String(node['value'])
  if (node['type'] === 'JSXExpressionContainer') {
    const expression = node['expression']
    return isNode(expression) && expression['type'] === 'Literal'
      ? String(expression['value'])
      : FILLED_IN
  }
  return Array.isArray(node['children']) ? `\`${node['children'].map(shownText).join('')}\`` : ''
}

function* stringsOf(node: unknown): Generator<string> {
  if (Array.isArray(node)) for (const inner of node) yield* stringsOf(inner)
  if (!isNode(node) || Array.isArray(node)) return
  const { type, value, quasis } = node
  if (type === 'Literal' && typeof value === 'string') yield value
  if (type === 'TemplateLiteral') {
    const pieces = quasis as readonly { readonly value: { readonly cooked: string } }[]
    yield pieces.map((piece) => piece.value.cooked).join(FILLED_IN)
  }
  if (type === 'JSXElement' || type === 'JSXFragment') yield shownText(node)
  for (const inner of Object.values(node)) yield* stringsOf(inner)
}

const texts: readonly Text[] = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\.d\.ts$/.test(file))
  .flatMap((file) =>
    [...stringsOf(parseSync(file, readFileSync(`src/${file}`, 'utf8')).program)]
      .map((text) => text.replaceAll(/\s+/g, ' '))
      .filter((text) => /countersign [a-z]|--[a-z]/.test(text) && !FOREIGN.test(text))
      .map((text) => ({ file, text })),
  )

/**
 * Text from `countersign` to the end of the command in a sentence: a quotation mark, bracket, comma
 * or full stop. "Another countersign command" is not a command.
 */
const LINE =
  /(?<!Another )\bcountersign ([a-z][^"'`“”‘’<>();,]*?)(?=["'`“”‘’<>();,]|[.:](?:\s|$)|\s&|$)/g

function linesOf(text: string): readonly string[] {
  return [...text.matchAll(LINE)].map(([, words = '']) => words.trim())
}

function find(words: readonly string[]): { command: Command; rest: readonly string[] } {
  let command: Command = program
  let rest = words
  for (;;) {
    const next = command.commands.find((one) => one.name() === rest[0])
    if (next === undefined) return { command, rest }
    command = next
    rest = rest.slice(1)
  }
}

const isOption = (
  words: { readonly long?: string | undefined; readonly short?: string | undefined },
  word: string,
) => words.long === word || words.short === word
const optionsOf = (command: Command) => [
  ...command.options,
  ...program.options,
  program.createOption('--help'),
]

/** Returns the problem with a command; null if the program accepts it. */
function problemOf(line: string): string | null {
  const { command, rest } = find(line.split(' '))
  if (command === program) return 'no such command'
  const operands: string[] = []
  let options = 0
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? ''
    if (!word.startsWith('-')) {
      operands.push(word)
      continue
    }
    options++
    const option = optionsOf(command).find((one) => isOption(one, word))
    if (option === undefined) return `${command.name()} has no ${word}`
    if (option.required && rest[++at] === undefined) return `${word} has no value`
  }
  const most = command.registeredArguments.some(({ variadic }) => variadic)
    ? Number.POSITIVE_INFINITY
    : command.registeredArguments.length
  if (operands.length > most) return `too many arguments: ${operands.join(' ')}`
  // Without options it may be just a command name; with options it must be complete.
  const least = command.registeredArguments.filter(({ required }) => required).length
  return options > 0 && operands.length < least ? 'an argument is missing' : null
}

test('every command in a message is valid', () => {
  const lines = texts.flatMap(({ file, text }) => linesOf(text).map((line) => ({ file, line })))
  expect(lines.length).toBeGreaterThan(40)
  const wrong = lines
    .map(({ file, line }) => ({ file, line, problem: problemOf(line) }))
    .filter(({ problem }) => problem !== null)
  expect(wrong).toEqual([])
})

/** Returns the commands of a file: all `sandbox` commands for `src/cli/commands/sandbox.ts`. */
function commandsOf(file: string): readonly Command[] {
  const name = /^cli\/commands\/(\w+)\.ts$/.exec(file)?.[1]
  if (name === undefined)
    return (printedBy[file] ?? []).map((words) => find(words.split(' ')).command)
  return [find([name]).command]
}

const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)]

function hasOption(command: Command, word: string): boolean {
  return all(command).some((one) => optionsOf(one).some((option) => isOption(option, word)))
}

/** Whether a text is an example of a help page: a command line without its first word. */
function isExample(text: string): boolean {
  return (
    program.commands.some((command) => text.startsWith(`${command.name()} `)) &&
    problemOf(text) === null
  )
}

test('an option outside a command belongs to one of the commands that print the message', () => {
  const wrong = texts.flatMap(({ file, text }) => {
    if (/^(?:-\w, )?--[\w-]+(?:=\S+| [<[].*)?$/.test(text) || isExample(text)) return []
    const sentence = text.replaceAll(LINE, '')
    const words = [...sentence.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([word]) => word)
    const printers = commandsOf(file)
    return words
      .filter(
        (word) => !program.options.some((option) => isOption(option, word)) && word !== '--help',
      )
      .filter(
        (word) => printers.length === 0 || !printers.every((command) => hasOption(command, word)),
      )
      .map((word) => ({ file, word, text }))
  })
  expect(wrong).toEqual([])
})

test.each([
  ['hooks add --environment X --nonsense X', 'add has no --nonsense'],
  ['trigger transaction.auth --target-ca FILE', 'trigger has no --target-ca'],
  ['verify --delivery', '--delivery has no value'],
  ['hooks repoint X --json', 'an argument is missing'],
  ['nonsense', 'no such command'],
])('an invalid command is found: countersign %s', (line, problem) => {
  expect(problemOf(line)).toBe(problem)
})
