/** Moves the focus to the next pane in screen order: the rail, then the screen's own. */
export function focusNextPane(by: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter(
    (pane) => pane.closest('[inert]') === null,
  )
  const at = panes.findIndex((pane) => pane.contains(document.activeElement))
  const next = panes[(at + by + panes.length) % panes.length]
  const target = next?.querySelector<HTMLElement>(
    '[role="grid"], [aria-current="page"], [role="tab"][aria-selected="true"], button, [tabindex="0"]',
  )
  target?.focus()
}

/** Moves the focus back to the screen's list, or else to its button in the rail. */
export function focusShownPane(): void {
  const list = document.querySelector<HTMLElement>(
    '[data-pane]:not([data-pane="rail"]) [role="grid"]',
  )
  const target = list ?? document.querySelector<HTMLElement>('nav [aria-current="page"]')
  target?.focus()
}
