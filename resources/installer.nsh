; Offers Countersign under "Open with" for exports and flows. electron-builder's fileAssociations would take these files from the editor:
; it writes the default of each extension, which this never touches. NsisTarget includes this file in the installer and the uninstaller.

!define DELIVERIES "Countersign.Deliveries"
!define FLOW "Countersign.Flow"

!macro openWith FILECLASS DESCRIPTION
  WriteRegStr SHELL_CONTEXT "Software\Classes\${FILECLASS}" "" "${DESCRIPTION}"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${FILECLASS}\DefaultIcon" "" "$appExe,0"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${FILECLASS}\shell\open\command" "" '"$appExe" "%1"'
!macroend

!macro customInstall
  !insertmacro openWith "${DELIVERIES}" "Webhook deliveries"
  !insertmacro openWith "${FLOW}" "Webhook flow"
  WriteRegNone SHELL_CONTEXT "Software\Classes\.jsonl\OpenWithProgids" "${DELIVERIES}"
  WriteRegNone SHELL_CONTEXT "Software\Classes\.ndjson\OpenWithProgids" "${DELIVERIES}"
  WriteRegNone SHELL_CONTEXT "Software\Classes\.json\OpenWithProgids" "${FLOW}"
!macroend

!macro customUnInstall
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.jsonl\OpenWithProgids" "${DELIVERIES}"
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.ndjson\OpenWithProgids" "${DELIVERIES}"
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.json\OpenWithProgids" "${FLOW}"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\${DELIVERIES}"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\${FLOW}"
  ; The command line's batch file, if it is the app's (src/main/command-line-tool.ts). An update keeps it.
  ${ifNot} ${isUpdated}
    nsExec::Exec '"$SYSDIR\findstr.exe" /b /c:"@rem Countersign" "$LOCALAPPDATA\Microsoft\WindowsApps\countersign.cmd"'
    Pop $0
    ${if} $0 == 0
      Delete "$LOCALAPPDATA\Microsoft\WindowsApps\countersign.cmd"
    ${endif}
  ${endif}
!macroend
