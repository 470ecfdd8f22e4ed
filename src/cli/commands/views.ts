/** `countersign views`: lists, saves and removes named queries for `--view`. */
import { defineCommand, defineGroup, JSON_LINES } from '../command.ts'
import { argument } from '../options/input.ts'
import { getView, findView } from '../options/search-options.ts'
import { queryArgument } from '../options/delivery-arguments.ts'

const name = argument('<name>', 'name of the view')

export const add = defineGroup('Manage saved views: named queries, shared with the app.', {
  list: defineCommand({
    summary: 'list saved views',
    description: 'List saved views, oldest first: name and query.',
    examples: [['List saved views', 'views list']],
    json: JSON_LINES,
    async run(_, { findData, output }) {
      const session = await findData(null)
      const { views } = (await session?.client.call('views.list', {})) ?? { views: [] }
      output.list(views, (view) => [view.name, view.query])
    },
  }),

  save: defineCommand({
    summary: 'save a query as a view',
    description: 'Save a query as a view. A view with the same name is replaced.',
    examples: [
      ['Save a view', "views save 'Failed refunds' 'event:transaction.refund* -is:valid'"],
    ],
    args: { name, query: queryArgument('<query>', 'query, as for "deliveries"') },
    async run(view, { client, output }) {
      const existing = findView((await client.call('views.list', {})).views, view.name)
      const saved = await client.call('views.save', {
        id: existing?.id,
        name: view.name,
        query: view.query.trim(),
      })
      output.result(saved, `Saved "${saved.name}".`)
    },
  }),

  remove: defineCommand({
    summary: 'remove a saved view',
    description: 'Remove a saved view. Its deliveries stay.',
    examples: [['Remove a view', "views remove 'Failed refunds'"]],
    args: { name },
    json: 'print the removed view as a JSON object',
    async run(view, { client, output }) {
      const removed = await getView(client, view.name)
      await client.call('views.remove', { id: removed.id })
      output.result(removed, `Removed "${removed.name}".`)
    },
  }),
})
