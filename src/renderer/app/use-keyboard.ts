/** Listens to the keyboard for the whole window and runs the actions of the key map. */
import { useEffect } from 'react'
import { LIST_ID } from '../features/list/index.ts'
import { useAppStore } from '../ui-state/use-app.ts'
import { isApple } from '../ui/keys.tsx'
import { runAction, screenParts } from './commands.ts'
import { createKeyReader, pressOf } from '../ui-state/key-reader.ts'

export function useKeyboard(): void {
  const store = useAppStore()
  useEffect(() => {
    const read = createKeyReader()
    const onKeyDown = (event: KeyboardEvent) => {
      const state = store.getState()
      if (event.defaultPrevented || event.isComposing) return
      const ofScreen = screenParts[state.navigation.screen].scopes?.(state) ?? []
      const action = read(pressOf(event), {
        inText: isTextField(event.target),
        // An overlay gets almost all keys; it closes itself with Esc.
        inDialog: state.navigation.overlay !== null || isInDialog(event.target),
        listFocus: hasListFocus(event.target),
        singleKeys: state.preferences.singleKeys,
        scopes: ['everywhere', ...ofScreen],
        isApple,
      })
      if (action !== null && runAction(action, store)) event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [store])
}

function isInDialog(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('[role="dialog"], [role="menu"], [data-select]') !== null
  )
}

function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button'].includes(target.type)
  return (
    target instanceof HTMLTextAreaElement ||
    // In a select, letters jump to a choice.
    (target instanceof Element && target.role === 'combobox') ||
    (target instanceof HTMLElement && target.isContentEditable)
  )
}

function hasListFocus(target: EventTarget | null): boolean {
  return (
    target === document.body ||
    (target instanceof Element && (target.id === LIST_ID || target.hasAttribute('data-flow-place')))
  )
}
