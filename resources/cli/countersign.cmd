@"%~dp0node.exe" "%~dp0out\node\cli.js" %*
