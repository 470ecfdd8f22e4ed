/** What other features, and the shell, may use of the sandbox. */
export { JsonEditor, jsonMistake } from './json-editor.tsx'
export { OBJECT_FILTER_ID } from './objects-view.tsx'
export { SandboxScreen } from './sandbox-screen.tsx'
export { SEND_ID } from './trigger-live.tsx'
