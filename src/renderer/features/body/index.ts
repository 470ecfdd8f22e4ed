/** The body feature's exports: the tab, and bytes as text or hex. */
export { bodyViews } from './body-slice.ts'
export { BodyTab } from './body-tab.tsx'
export { readText } from './body-text.ts'
export { decodeText } from './decode-text.ts'
export { BodyBytes, HexRows, TextLimit } from './body-view.tsx'
