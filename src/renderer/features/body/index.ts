/** The body feature's exports: the tab, and bytes as text or hex. */
export { BodyTab } from './body-tab.tsx'
export { decodeText, readText } from './body-text.ts'
export { BodyBytes, HexRows, TextLimit } from './body-view.tsx'
