'use strict'
// Takes the place of @napi-rs/keyring: the binary is the app's, beside its archive. src/core uses only this class.
const target = `${process.platform}-${process.arch}${{ linux: '-gnu', win32: '-msvc' }[process.platform] ?? ''}`
const unpacked = '../../../../app.asar.unpacked/node_modules/@napi-rs'
exports.AsyncEntry = require(`${unpacked}/keyring-${target}/keyring.${target}.node`).AsyncEntry
