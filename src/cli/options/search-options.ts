/** Options for queries and views. */
import { AppError } from '../../shared/contract/errors.ts'
import { BUILT_IN_VIEWS, type View } from '../../shared/model/view.ts'
import { boundedCount } from '../../shared/text/english.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { joinQueries } from '../../shared/query/edit-query.ts'
import { parseQuery } from '../../shared/query/parse.ts'
import { unlistedFlags } from '../../shared/query/selected-values.ts'
import { unlistedWords } from '../../shared/query/unlisted.ts'
import { nonBlankOption, textOption, type ValuesOf } from './input.ts'
import type { Output } from '../print.ts'
import type { Caller, CommandRun } from '../session.ts'
import { hintOn } from '../../shared/query/hints.ts'

export const viewOption = {
  view: nonBlankOption(
    '<name>',
    'use a saved or built-in view, such as Invalid; a query narrows it further',
  ),
}

/** Options for a query besides the argument, which must not differ, and for a view. */
export const searchOptions = {
  query: textOption('<query>', 'the query, instead of the argument'),
  ...viewOption,
}

export function findView(views: readonly View[], name: string): View | undefined {
  const lowerName = name.trim().toLowerCase()
  return views.find((view) => view.name.toLowerCase() === lowerName)
}

/** Finds a view. Rejects with `NOT_FOUND` and lists the saved views. */
export async function getView(client: Caller, name: string): Promise<View> {
  const { views } = await client.call('views.list', {})
  const match = findView(views, name)
  if (match !== undefined) return match
  const others = views.map((view) => `"${view.name}"`).join(', ')
  throw new AppError(
    'NOT_FOUND',
    `Saved view "${name}" not found. ${others === '' ? 'Create one with "countersign views save".' : `Saved views: ${others}.`}`,
  )
}

/** Prints how many deliveries match, but aren't in the query's list. */
export async function noteHidden(
  client: Client,
  query: string,
  output: Pick<Output, 'note'>,
): Promise<void> {
  const flags = unlistedFlags(parseQuery(query))
  if (flags.length === 0) return
  const { counts } = await client.call('deliveries.counts', {
    queries: flags.map((flag) => joinQueries(query, flag)),
  })
  const hidden = unlistedWords(
    Object.fromEntries(
      flags.map((flag, index) => {
        const count = counts[index]
        return [flag, count == null || count.count === 0 ? null : boundedCount(count)]
      }),
    ),
  )
  if (hidden !== '') output.note(`${hidden} hidden. Add is:any to the query to include them.`)
}

/** Prints that a query finds nothing, and what to try after a probable mistake. */
export function noteNoMatch(
  { output }: Pick<CommandRun, 'output'>,
  query: string,
  result?: string,
): void {
  const sentences = ['No deliveries match.', result, hintOn(query)]
  output.note(sentences.filter((sentence) => sentence != null).join(' '))
}

/** Returns the search of a command that lists or changes its matches. Prints what it leaves out. */
export async function listedSearchOf(
  client: Client,
  input: Parameters<typeof searchOf>[1],
  output: Pick<Output, 'note'>,
): Promise<string> {
  const search = await searchOf(client, input)
  await noteHidden(client, search, output)
  return search
}

/**
 * Returns the query, the view's query, or both combined. Rejects with `NOT_FOUND` for an unknown
 * view.
 */
export async function searchOf(
  client: Client,
  { query = '', view: name }: { readonly query?: string | undefined } & ValuesOf<typeof viewOption>,
): Promise<string> {
  if (name === undefined) return query
  const builtIn = findView(BUILT_IN_VIEWS, name)
  const { views } = builtIn === undefined ? { views: [] } : await client.call('views.list', {})
  const view = findView(views, name) ?? builtIn ?? (await getView(client, name))
  return joinQueries(view.query, query)
}
