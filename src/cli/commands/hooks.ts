/** `countersign hooks`: its commands, one file each. */
import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { addHooksAdd } from './hooks-add.ts'
import { addHooksEnv } from './hooks-env.ts'
import { addHooksImport } from './hooks-import.ts'
import { addHooksList } from './hooks-list.ts'
import { addHooksRemove } from './hooks-remove.ts'
import { addHooksRepoint } from './hooks-repoint.ts'
import { addHooksRotate } from './hooks-rotate.ts'
import { addHooksUpdate } from './hooks-update.ts'

export function addHooks(command: Command, context: CommandContext): void {
  command.description('Manage hooks and their secrets.')
  addHooksList(command, context)
  addHooksAdd(command, context)
  addHooksUpdate(command, context)
  addHooksRemove(command, context)
  addHooksRotate(command, context)
  addHooksRepoint(command, context)
  addHooksImport(command, context)
  addHooksEnv(command, context)
}
