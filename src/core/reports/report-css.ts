/** The style sheet of reports, with the app's colors. */

export const reportColors = {
  dark: {
    ground: '#0f1115',
    surface: '#14171c',
    raised: '#1b1f26',
    line: '#262b34',
    text: '#e7e9ed',
    'text-muted': '#a6adb9',
    'text-subtle': '#8d95a3',
    accent: '#8aa4ff',
    ok: '#4cc38a',
    bad: '#ff7b7b',
    warn: '#e5a83b',
    'part-body': '#c3a6ff',
    'part-url': '#5cc8d6',
    'part-time': '#d2b48c',
    edge: '#697183',
    'bad-wash': '#2b181b',
    'event-auth': '#5cc8d6',
    'event-clearing': '#c3a6ff',
    'event-refund': '#f29bc0',
    'event-card': '#7db4f5',
    'event-location': '#d2b48c',
  },
  light: {
    ground: '#f9fafb',
    surface: '#ffffff',
    raised: '#edeff3',
    line: '#d9dce3',
    text: '#171a20',
    'text-muted': '#48505e',
    'text-subtle': '#5c6472',
    accent: '#2c50cc',
    ok: '#17713f',
    bad: '#bf2531',
    warn: '#8a5200',
    'part-body': '#6a3fc0',
    'part-url': '#0b6775',
    'part-time': '#75582c',
    edge: '#79818f',
    'bad-wash': '#fdeeee',
    'event-auth': '#0b6775',
    'event-clearing': '#6a3fc0',
    'event-refund': '#ad2866',
    'event-card': '#1d5fae',
    'event-location': '#75582c',
  },
} as const

function variables(colors: Readonly<Record<string, string>>): string {
  return Object.entries(colors)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

export const darkReportCss = `
:root{color-scheme:dark light}
@media screen and (prefers-color-scheme:dark){:root{${variables(reportColors.dark)}}}
`

export const reportCss = `
:where(:root){${variables(reportColors.light)}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:450 13px/20px 'Inter Variable',Inter,system-ui,-apple-system,'Segoe UI',sans-serif}
main{max-width:960px;margin:0 auto;padding:32px 24px 48px}
h1{font-size:20px;line-height:28px;font-weight:550;margin:0;overflow-wrap:anywhere}
h2{font-size:15px;line-height:20px;font-weight:550;margin:32px 0 8px}
h3{font-size:13px;font-weight:550;margin:16px 0 4px}
p{margin:4px 0 12px}
.summary{font-size:15px;color:var(--text-muted)}
code,pre,.data{font-family:'JetBrains Mono Variable','JetBrains Mono',ui-monospace,'Cascadia Mono',Menlo,monospace;font-size:12px;font-variant-numeric:tabular-nums}
pre{margin:4px 0 12px;padding:8px 12px;background:var(--raised);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:4px 0 12px}
dt{color:var(--text-muted)}
dd{margin:0;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse}
th{font-weight:450;text-align:left;color:var(--text-muted);font-size:12px}
th,td{padding:4px 12px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
.number{text-align:right;font-variant-numeric:tabular-nums}
details{border-bottom:1px solid var(--line)}
summary{display:flex;gap:12px;padding:4px 0;cursor:pointer;align-items:baseline}
summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
summary .outcome{flex:none;min-width:76px}
summary .data{margin-left:auto;color:var(--text-muted);white-space:nowrap}
details>div{padding:4px 0 12px 24px}
.outcome{white-space:nowrap;font-weight:550}
.good{color:var(--ok)}.bad{color:var(--bad)}.warn{color:var(--warn)}.neutral,.active{color:var(--text-subtle)}
.muted{color:var(--text-muted)}
footer{margin-top:48px;font-size:12px;color:var(--text-subtle)}
@media (max-width:600px){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}main{padding:16px}}
@media print{details>div,summary{break-inside:avoid}h2,h3{break-after:avoid}}
`
