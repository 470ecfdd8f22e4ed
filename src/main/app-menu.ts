/** Application menu in Electron, and the commands of menus and tray. */
import { join } from 'node:path'
import { app, dialog, Menu, shell } from 'electron'
import { logFolderOf } from '../core/base/data-folder.ts'
import type { Log } from '../core/base/deps.ts'
import type { PageAction } from '../shared/contract/native.ts'
import type { Client } from '../shared/rpc/client.ts'
import type { createCommandLineTool } from './command-line-tool.ts'
import { askUser } from './ask-user.ts'
import { applicationMenu, type MenuHost, type ShellCommand } from './shell-menus.ts'
import type { MainWindow } from './window.ts'

interface AppMenuOptions {
  readonly client: Client
  readonly dataFolder: string
  readonly log: Log
  readonly resources: string
  readonly tool: ReturnType<typeof createCommandLineTool>
  readonly window: MainWindow
  actInPage(action: PageAction): void
}

async function openPath(path: string): Promise<void> {
  const problem = await shell.openPath(path)
  if (problem !== '')
    dialog.showErrorBox(`Couldn't open ${path}`, `${problem}\nOpen it in your file manager.`)
}

/** Runs entries of menus and tray, and shows the application menu. */
export class AppMenu implements MenuHost {
  readonly platform = process.platform
  readonly #options: AppMenuOptions

  constructor(options: AppMenuOptions) {
    this.#options = options
  }

  run: MenuHost['run'] = (action) => {
    if ('page' in action) this.#options.actInPage(action.page)
    else this.#commands[action.command]()
  }

  /** Shows the menu, or updates it after the command line tool was installed or uninstalled. */
  show(): void {
    const { tool } = this.#options
    const template = applicationMenu({
      platform: this.platform,
      run: this.run,
      isDevelopment: !app.isPackaged,
      tool: tool === null ? null : tool.isInstalled() ? 'uninstall' : 'install',
    })
    Menu.setApplicationMenu(Menu.buildFromTemplate(template))
  }

  readonly #commands: Readonly<Record<ShellCommand, () => void>> = {
    about: () => app.showAboutPanel(),
    'command-line-tool': () => this.#changeTool(),
    docs: () => this.#openResource(app.isPackaged ? 'cli/docs' : 'docs'),
    licenses: () => this.#openResource(app.isPackaged ? 'licenses.txt' : 'out/main/licenses.txt'),
    logs: () => void openPath(logFolderOf(this.#options.dataFolder)),
    'data-folder': () => void openPath(this.#options.dataFolder),
    'show-window': () => this.#options.window.show(),
    pause: () => this.#setPaused(true),
    resume: () => this.#setPaused(false),
    quit: () => app.quit(),
    'zoom-in': () => this.#options.window.zoom('in'),
    'zoom-out': () => this.#options.window.zoom('out'),
    'zoom-reset': () => this.#options.window.zoom('reset'),
  }

  #changeTool(): void {
    const { tool, window } = this.#options
    if (tool === null) return
    window.show()
    const message = tool.change()
    this.show()
    void askUser(dialog, window.current(), message)
  }

  #openResource(path: string): void {
    void openPath(join(this.#options.resources, path))
  }

  #setPaused(paused: boolean): void {
    const { client, log } = this.#options
    void client
      .call(paused ? 'receiver.pause' : 'receiver.resume', {})
      .catch((error: unknown) => log.bug(error, 'pausing from the tray'))
  }
}
