/** `countersign open`: opens the running app in the browser with a new one-time link. */
import {
  type Command,
  dataFolderOf,
  type CommandContext,
  type DataOption,
  withInstance,
} from '../context.ts'
import { openInBrowser } from '../open-browser.ts'

interface OpenOptions extends DataOption {
  readonly print?: true
}

export function add(command: Command, context: CommandContext): void {
  command
    .description('Open the app in your browser. The link works once, within a minute.')
    .requiresRunning()
    .example('Open the app', 'open')
    .example('Print a link for another browser', 'open --print')
    .option('--print', 'print the link instead of opening it')
    .run(async (options: OpenOptions) => {
      await withInstance(context, options, 'Opening the app', async ({ client }) => {
        const { url } = await client.call('app.open', {})
        if (options.print === true) {
          context.output.line(url)
        } else if (!(await openInBrowser(dataFolderOf(context, options), url, context.env))) {
          context.output.note("Couldn't open a browser. Open this link within a minute:")
          context.output.line(url)
        }
      })
    })
}
