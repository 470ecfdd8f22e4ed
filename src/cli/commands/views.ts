/** `countersign views`: lists, saves and removes named queries, which other commands use with `--view`. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  withCore,
  withExistingData,
} from '../context.ts'
import { printableText } from '../../shared/text/printable.ts'
import { takeQuery, checkGivenQuery, findView, viewNamed } from '../arguments.ts'

export function add(command: Command, context: CommandContext): void {
  const views = command.description('Manage saved views: named queries, shared with the app.')
  const { output } = context

  views
    .command('list')
    .summary('list saved views')
    .description('List saved views, oldest first: name and query.')
    .example('List saved views', 'views list')
    .printsJson('lines')
    .run(async (options: DataOption) => {
      const listed = await withExistingData(context, options, null, ({ client }) =>
        client.call('views.list', {}),
      )
      output.list(listed?.views ?? [], options.json, ({ name, query }) => [
        { text: name },
        { text: query },
      ])
    })

  const save = views
    .command('save')
    .summary('save a query as a view')
    .description('Save a query as a view. A view with the same name is replaced.')
    .example('Save a view', "views save 'Failed refunds' 'event:transaction.refund* -is:valid'")
    .argument('<name>', 'name of the view')
    .argument('<query>', 'query, as for "deliveries"')
    .printsJson()
    .run(async (name: string, query: string, options: DataOption) => {
      const search = query.trim()
      checkGivenQuery(context.output, search)
      const saved = await withCore(context, options, async ({ client }) => {
        const known = findView((await client.call('views.list', {})).views, name)
        return client.call('views.save', {
          ...(known === undefined ? {} : { id: known.id }),
          name,
          query: search,
        })
      })
      if (options.json === true) output.json(saved)
      else output.line(`Saved "${printableText(saved.name)}".`)
    })
  takeQuery(save)

  views
    .command('remove')
    .summary('remove a saved view')
    .description('Remove a saved view. Its deliveries stay.')
    .example('Remove a view', "views remove 'Failed refunds'")
    .argument('<name>', 'name of the view')
    .option('--json', 'print the removed view as a JSON object')
    .run(async (name: string, options: DataOption) => {
      const removed = await withCore(context, options, async ({ client }) => {
        const view = await viewNamed(client, name)
        await client.call('views.remove', { id: view.id })
        return view
      })
      if (options.json === true) output.json(removed)
      else output.line(`Removed "${printableText(removed.name)}".`)
    })
}
