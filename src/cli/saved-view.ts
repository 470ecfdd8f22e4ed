/** The `--view` option: uses a saved view wherever a command takes a query, with its query at that moment. */
import type { Command } from './context.ts'
import { AppError } from '../shared/contract/errors.ts'
import { BUILT_IN_VIEWS, type View } from '../shared/model/settings.ts'
import type { Client } from '../shared/rpc/client.ts'
import { readFilled } from './arguments.ts'
import { parsePieces } from '../shared/query/parse.ts'
import { bothOf } from '../shared/query/terms.ts'
import type { Output } from './output.ts'

export interface ViewOption {
  readonly view?: string
}

export function addViewOption(command: Command): Command {
  return command.option(
    '--view <name>',
    'use a saved or built-in view, such as Invalid; a query narrows it further',
    readFilled,
  )
}

/** Finds a view by name, ignoring case. */
export function findView(views: readonly View[], name: string): View | undefined {
  const wanted = name.trim().toLowerCase()
  return views.find((view) => view.name.toLowerCase() === wanted)
}

/** Finds a view. Rejects with `NOT_FOUND` and lists the saved views. */
export async function viewNamed(client: Client, name: string): Promise<View> {
  const { views } = await client.call('views.list', {})
  const found = findView(views, name)
  if (found !== undefined) return found
  const others = views.map((view) => `"${view.name}"`).join(', ')
  throw new AppError(
    'NOT_FOUND',
    `Saved view "${name}" not found. ${others === '' ? 'Create one with "countersign views save".' : `Saved views: ${others}.`}`,
  )
}

/** A saved view, else a built-in one. */
async function anyViewNamed(client: Client, name: string): Promise<View> {
  const { views } = await client.call('views.list', {})
  return findView(views, name) ?? findView(BUILT_IN_VIEWS, name) ?? viewNamed(client, name)
}

/** The query, the view's query, or both combined. Rejects with `NOT_FOUND` for an unknown view. */
export async function searchOf(
  client: Client,
  query: string,
  name: string | undefined,
): Promise<string> {
  if (name === undefined) return query
  const view = await anyViewNamed(client, name)
  return bothOf(view.query, query)
}

/** Throws `INVALID_QUERY` before Countersign is contacted. */
export function checkGivenQuery(output: Pick<Output, 'note'>, query: string): void {
  for (const { sentence } of parsePieces(query).hints) output.note(`Note: ${sentence}`)
}
