/** A command of commander whose work gets the options that every command shares. */
import { Command as CommanderCommand } from 'commander'

export class Command extends CommanderCommand {
  override createCommand(name?: string): Command {
    return new Command(name)
  }

  /** `work` gets the words of the command, then its options with those of the whole program; each command declares their types. */
  run(work: (...given: never[]) => Promise<void>): this {
    return this.action((...given: unknown[]) => {
      const command = given.at(-1) as CommanderCommand
      return work(...([...given.slice(0, -2), command.optsWithGlobals()] as never[]))
    })
  }
}
