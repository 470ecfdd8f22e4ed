/** `countersign environments`: its commands, one file each. */
import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { addEnvironmentsAdd } from './environments-add.ts'
import { addEnvironmentsCheck } from './environments-check.ts'
import { addEnvironmentsList } from './environments-list.ts'
import { addEnvironmentsRemove } from './environments-remove.ts'
import { addEnvironmentsUpdate } from './environments-update.ts'
import { addEnvironmentsUse } from './environments-use.ts'

export function addEnvironments(command: Command, context: CommandContext): void {
  command.description('Manage service accounts.')
  addEnvironmentsList(command, context)
  addEnvironmentsAdd(command, context)
  addEnvironmentsUpdate(command, context)
  addEnvironmentsUse(command, context)
  addEnvironmentsCheck(command, context)
  addEnvironmentsRemove(command, context)
}
