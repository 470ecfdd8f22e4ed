'use strict'
// Takes the place of better-sqlite3's lib/index.js: the binary is the app's, beside its archive.
const unpacked = '../../../../app.asar.unpacked/node_modules/better-sqlite3'
const binary = `${unpacked}/prebuilds/${process.platform}-${process.arch}.node`
module.exports = require('./database')(() => require(binary), false)
module.exports.SqliteError = require('./sqlite-error')
