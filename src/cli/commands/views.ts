/** `countersign views`: searches that were given a name, listed, saved and removed. `--view` of other commands takes them. */
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { printableText } from '../../shared/text/printable.ts'
import { takeQuery } from '../arguments.ts'
import { checkGivenQuery, findView, viewNamed } from '../saved-view.ts'
import { createColumns } from '../output.ts'
import { withCore, withExistingData } from '../session.ts'

interface ViewsOptions extends DataOption {
  readonly json?: true
}

export function addViews(viewsCommand: Command, context: CommandContext): void {
  const views = viewsCommand.description('Manage saved views: named searches, shared by the window and the command line.')
  const { output } = context

  views
    .command('list')
    .summary('list the saved views')
    .description('Lists the saved views in the order in which they were made. Columns: name, search.')
    .option('--json', 'print one JSON object a line')
    .run(async (options: ViewsOptions) => {
      const listed = await withExistingData(context, dataFolderOf(context, options), ({ client }) =>
        client.call('views.list', {}),
      )
      const found = listed?.views ?? []
      if (options.json === true) for (const view of found) output.json(view)
      else
        for (const line of createColumns(output)(found.map(({ name, query }) => [{ text: name }, { text: query }])))
          output.line(line)
    })

  const save = views
    .command('save')
    .summary('give a search a name')
    .description('Saves a search under a name; one that has this name already is replaced.')
    .argument('<name>', 'what it is called')
    .argument('<query>', 'the search, as for "deliveries"')
    .option('--json', 'print one JSON object')
    .run(async (name: string, query: string, options: ViewsOptions) => {
      const search = query.trim()
      checkGivenQuery(context.output, search)
      const saved = await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        const known = findView((await client.call('views.list', {})).views, name)
        return client.call('views.save', { ...(known === undefined ? {} : { id: known.id }), name, query: search })
      })
      if (options.json === true) output.json(saved)
      else output.line(`Saved "${printableText(saved.name)}".`)
    })
  takeQuery(save)

  views
    .command('remove')
    .summary('remove a saved view')
    .description('Removes a saved view; the deliveries stay.')
    .argument('<name>', 'what it is called')
    .option('--json', 'print the view that was removed as one JSON object')
    .run(async (name: string, options: ViewsOptions) => {
      const removed = await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        const view = await viewNamed(client, name)
        await client.call('views.remove', { id: view.id })
        return view
      })
      if (options.json === true) output.json(removed)
      else output.line(`Removed "${printableText(removed.name)}".`)
    })
}
