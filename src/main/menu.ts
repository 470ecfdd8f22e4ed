/** The application menu: the system's entries and the data folder. */
import type { Menu, MenuItemConstructorOptions } from 'electron'

export interface MenuOptions {
  readonly platform: NodeJS.Platform
  readonly openDataFolder: () => void
  /** Developer tools are only for development. */
  readonly developer: boolean
}

/** The menu template. macOS has its own application menu; elsewhere, Quit is in File. */
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
