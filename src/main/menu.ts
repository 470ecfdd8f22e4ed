/** The application's menu: the system's own entries, and the way to the data folder. */
import type { Menu, MenuItemConstructorOptions } from 'electron'

export interface MenuOptions {
  readonly platform: NodeJS.Platform
  readonly openDataFolder: () => void
  /** The developer tools are for whoever works on the app itself. */
  readonly developer: boolean
}

/** The menu as data. macOS has an application menu of its own; elsewhere Quit belongs to File. */
export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  const mac = options.platform === 'darwin'
  return [
    ...(mac ? [{ role: 'appMenu' as const }] : []),
    {
      label: 'File',
      submenu: [
        { label: 'Open data folder', click: options.openDataFolder },
        { type: 'separator' },
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'reload' },
        ...(options.developer ? [{ role: 'toggleDevTools' as const }] : []),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
  ]
}

export function setupMenu(menu: typeof Menu, options: MenuOptions): void {
  menu.setApplicationMenu(menu.buildFromTemplate(menuTemplate(options)))
}
