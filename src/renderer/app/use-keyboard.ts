/** Listens to the keyboard for the whole window and runs the actions of the key map. */
import { useEffect } from 'react'
import { LIST_ID } from '../features/list/index.ts'
import type { KeyScope } from '../state/key-map.ts'
import { createKeyReader, pressOf } from '../state/key-map.ts'
import { useAppStore } from '../state/use-app.ts'
import { isApple } from '../ui/keys.tsx'
import { runAction } from './commands.ts'

export function useKeyboard(): void {
  const store = useAppStore()
  useEffect(() => {
    const read = createKeyReader()
    const onKeyDown = (event: KeyboardEvent) => {
      const state = store.getState()
      if (event.defaultPrevented || event.isComposing) return
      const scopes: KeyScope[] = ['everywhere']
      if (state.navigation.screen === 'deliveries') scopes.push('list')
      if (state.navigation.screen === 'deliveries' && state.detail.mode !== 'closed')
        scopes.push('detail')
      if (state.navigation.screen === 'compare') scopes.push('compare')
      if (state.navigation.screen === 'flows' && state.flows.opened !== null) scopes.push('flows')
      if (state.navigation.screen === 'sandbox') scopes.push('sandbox')
      const action = read(pressOf(event), {
        inText: isTextField(event.target),
        // An overlay gets almost all keys; it closes itself with Esc.
        inDialog: state.navigation.overlay !== null || isInDialog(event.target),
        listFocus: hasListFocus(event.target),
        singleKeys: state.preferences.singleKeys,
        scopes,
        isApple,
      })
      if (action !== null && runAction(action, store)) event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [store])
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role="dialog"], [role="menu"]') !== null
}

function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button'].includes(target.type)
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  )
}

function hasListFocus(target: EventTarget | null): boolean {
  return (
    target === document.body ||
    (target instanceof Element && (target.id === LIST_ID || target.hasAttribute('data-flow-place')))
  )
}
