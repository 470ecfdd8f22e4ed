/**
 * Names that stored secrets and installers depend on; they never change. A test compares them with
 * `package.json` and `electron-builder.yml`.
 */
export const PRODUCT_NAME = 'Countersign'
export const APP_ID = 'app.countersign.workbench'
