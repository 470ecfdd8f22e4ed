export { BodyTab } from './body-tab.tsx'
export { decodeText, readText } from './body-text.ts'
export { BodyBytes, HexRows, TextLimit } from './body-view.tsx'
