/** `countersign open`: opens the running app in the browser with a new one-time link. */
import { defineCommand } from '../command.ts'
import { openInBrowser } from '../open-browser.ts'
import { flagOption } from '../options/input.ts'

export const add = defineCommand({
  description: 'Open the app in your browser. The link works once, within a minute.',
  running: 'Opening the app',
  examples: [
    ['Open the app', 'open'],
    ['Print a link for another browser', 'open --print'],
    ['Sign out every browser, and open the app in yours', 'open --sign-out'],
  ],
  json: null,
  options: {
    print: flagOption('print the link instead of opening it'),
    signOut: flagOption('first sign out all browsers'),
  },
  async run({ print, signOut }, { client, dataFolder, env, output }) {
    if (signOut) await client.call('app.signOut', {})
    const { url } = await client.call('app.open', {})
    if (!print && (await openInBrowser(dataFolder(), url, env))) return
    if (!print) output.note("Couldn't open a browser. Open this link within a minute:")
    output.line(url)
  },
})
