/** The program with all its commands, for tests that only inspect them. */
import { PassThrough, Writable } from 'node:stream'
import { Output } from '../../src/cli/print.ts'
import { Command } from '../../src/cli/command.ts'
import { createProgram } from '../../src/cli/program.ts'

function nowhere(): Writable {
  return new Writable({
    write(_chunk, _encoding, done) {
      done()
    },
  })
}

export function loadProgram({
  build = new URL('file:///build/'),
  writeOut = (_text: string): unknown => undefined,
} = {}): Promise<Command> {
  const context = {
    version: '0.0.0',
    build,
    env: {},
    stdin: new PassThrough(),
    output: new Output({ stdout: nowhere(), stderr: nowhere(), env: {} }),
    now: () => 0,
    reportBug: () => Promise.resolve(''),
    exit: () => undefined,
    runAnother: () => Promise.resolve(0 as const),
  }
  return createProgram(context, {
    writeOut: (text) => void writeOut(text),
    writeErr: () => undefined,
  })
}

export interface NamedCommand {
  readonly name: string
  readonly command: Command
}

export function commandsBelow(command: Command, prefix = ''): NamedCommand[] {
  return command.commands.flatMap((one) => {
    if (!(one instanceof Command))
      throw new TypeError(`${one.name()} was not made by createCommand.`)
    const name = `${prefix}${one.name()}`
    return [{ name, command: one }, ...commandsBelow(one, `${name} `)]
  })
}
