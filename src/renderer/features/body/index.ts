/** The body feature's exports: the tab, and rows of text or bytes prepared in a worker. */
export { bodyViews } from './body-slice.ts'
export { BodyTab } from './body-tab.tsx'
export { BodyBytes, BodyRows, HexRows } from './body-view.tsx'
export { useAboutBody } from './lay-out-in-worker.ts'
