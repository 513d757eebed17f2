#include "letterpress/page/page.h"

#include "letterpress/page/html.h"

namespace letterpress {
namespace {

constexpr const char* kStyle = R"(<style>
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --ink: #1b2330; --soft: #5d6878; --line: #dfe3e9;
  --s0: #2f6fde; --s1: #e08a1e; --s2: #2a9d6f; --s3: #a44fc0; --good: #1e8a52; --bad: #c53434; }
@media (prefers-color-scheme: dark) { :root { --page: #12161d; --card: #1a202a; --ink: #e4e8ee; --soft: #98a3b3; --line: #303947;
  --s0: #6c9ef5; --s1: #f0ad55; --s2: #57c595; --s3: #c98be0; --good: #57c98d; --bad: #f07b7b; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 32px 16px 64px; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; }
h1 { margin: 0; font-size: 26px; } h2 { margin: 0 0 12px; font-size: 18px; } h3 { margin: 20px 0 6px; font-size: 14px; color: var(--soft); }
p { margin: 6px 0; } .soft, small { color: var(--soft); } small { font-size: 12.5px; }
section, .tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
section { margin-top: 20px; padding: 20px 24px; overflow-x: auto; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin-top: 20px; }
.tile { padding: 12px 16px; } .tile b { display: block; font-size: 24px; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 12px 5px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; font-size: 13px; } td.n, th.n { text-align: right; }
td.wrap { overflow-wrap: anywhere; } code { font: 13px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.identity { font-size: 16px; font-variant-numeric: tabular-nums; } .good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--s1); }
.two { display: grid; grid-template-columns: 1fr 240px; gap: 28px; align-items: start; }
@media (max-width: 720px) { .two { grid-template-columns: 1fr; } }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--ink); font-size: 13px; } svg .soft { fill: var(--soft); }
svg .axis { fill: var(--soft); font-size: 11.5px; } svg .count { font-variant-numeric: tabular-nums; font-size: 12.5px; }
svg .middle { text-anchor: middle; } svg .end { text-anchor: end; } svg line { stroke: var(--line); stroke-width: 1.5; }
.s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); } .s3 { fill: var(--s3); }
.frame { fill: none; stroke: var(--line); stroke-width: 1.5; } .anchor { fill: var(--s0); fill-opacity: .07; stroke: var(--s0); stroke-width: 1.2; }
.l0 { stroke: var(--s0); } .l1 { stroke: var(--s1); } .l2 { stroke: var(--s2); } .l3 { stroke: var(--s3); }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; } .d1 { stroke-dasharray: 7 4; } .d2 { stroke-dasharray: 2 3; }
.grid { stroke: var(--line); stroke-width: 1; } .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(420px, 1fr)); gap: 20px 28px; }
td.diagonal { background: color-mix(in srgb, var(--good) 18%, transparent); } td.wrong { background: color-mix(in srgb, var(--bad) 14%, transparent); }
.key { display: inline-flex; align-items: center; margin-right: 16px; gap: 6px; } .key svg { width: 12px; height: 12px; }
.samples { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 14px; }
figure { margin: 0; } figure svg { border-radius: 6px; } figcaption { font-size: 13px; overflow-wrap: anywhere; } figcaption small { display: block; }
.box { fill: none; stroke-width: 1.5; vector-effect: non-scaling-stroke; } .found { stroke-dasharray: 5 3; }
.samples text { paint-order: stroke; stroke: #000b; stroke-width: 3px; font-weight: 600; }
@media print { :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --s0: #2f6fde; --s1: #e08a1e;
    --s2: #2a9d6f; --s3: #a44fc0; --good: #1e8a52; --bad: #c53434; }
  body { padding: 0; font-size: 11pt; } section { break-inside: avoid-page; overflow: visible; } section.long { break-inside: auto; }
  rect, .samples svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
</style>
)";

}  // namespace

std::string whole_page(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
         "name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n<title>" +
         escaped(title) + "</title>\n" + kStyle + "</head>\n<body><main>\n" + body +
         "</main></body>\n</html>\n";
}

std::string section(const std::string& title, const std::string& body) {
  return "<section><h2>" + escaped(title) + "</h2>\n" + body + "</section>\n";
}

std::string tile(const std::string& what, const std::string& value) {
  return "<div class=\"tile\"><b>" + value + "</b><small>" + escaped(what) + "</small></div>\n";
}

}  // namespace letterpress
