/**
 * The names that stored secrets, the taskbar and installers depend on. They never change: the system's key stores find secrets by
 * them. `package.json` and `electron-builder.yml` repeat them, and a test compares all three.
 */
export const PRODUCT_NAME = 'Countersign'
export const APP_ID = 'app.countersign.workbench'
