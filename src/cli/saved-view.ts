/**
 * Saved views on the command line: wherever a search is taken, `--view NAME` takes one that was saved, in the window or with
 * `countersign views save`. It stands for its text at the moment when the command runs.
 */
import type { Command } from './context.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { View } from '../shared/model/settings.ts'
import type { Client } from '../shared/rpc/client.ts'
import { readFilled } from './arguments.ts'
import { parsePieces } from '../shared/query/parse.ts'
import type { Output } from './output.ts'

export interface ViewOption {
  readonly view?: string
}

export function addViewOption(command: Command): Command {
  return command.option('--view <name>', 'use a saved view; a query narrows it further', readFilled)
}

/** Of these views the one of this name, in upper or lower case. */
export function findView(views: readonly View[], name: string): View | undefined {
  const wanted = name.trim().toLowerCase()
  return views.find((view) => view.name.toLowerCase() === wanted)
}

/** The view of this name. Rejects with `NOT_FOUND`, naming those that there are. */
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

/** What is searched for: the query, the view, or what both find. Rejects with `NOT_FOUND` for a view that is not there. */
export async function searchOf(client: Client, query: string, name: string | undefined): Promise<string> {
  if (name === undefined) return query
  const view = await viewNamed(client, name)
  return query.trim() === '' ? view.query : `(${view.query}) (${query})`
}

/** Throws `INVALID_QUERY` where the search cannot be read, before anything is asked of an instance. */
export function checkGivenQuery(output: Pick<Output, 'note'>, query: string): void {
  for (const { sentence } of parsePieces(query).hints) output.note(`Note: ${sentence}`)
}
