export { BodyTab } from './body-tab.tsx'
export { readText } from './body-text.ts'
export { decodeText } from './decode-text.ts'
export { BodyBytes, HexRows, TextLimit } from './body-view.tsx'
