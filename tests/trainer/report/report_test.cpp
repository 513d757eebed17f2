#include "trainer/report/report.h"

#include <array>
#include <cstdio>

#include "tests/contains.h"
#include "tests/trainer/fit/run_bench.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/fit/evaluation/picture_losses.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/report/sections.h"

using namespace letterpress;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size()))
    ++n;
  return n;
}

/// The page of a run in `folder`, on the store that it was trained on.
std::string page_of(const std::filesystem::path& folder, std::size_t shown = 1) {
  const OpenedRun run = open_run(folder, "", "");
  const auto html =
      run_report(run, folder, {.pictures = val_pictures_of(run.reader, ""), .shown = shown});
  REQUIRE(html);
  return *html;
}

}  // namespace

TEST_CASE(
    "the page of a run has its curves, metrics, confusion, pictures, model and configuration, and "
    "nothing from outside") {
  RunBench bench({.train = 8, .val = 5});
  const FitOptions options = bench.options("run", 2);
  Trainer(options).run();
  const std::string html = page_of(options.out, 2);
  for (const char* outside : {"<script", "<link", "http:", "https:", "url("})
    CHECK_FALSE(contains(html, outside));

  // Curves are results.csv.
  const auto csv = read_csv(options.out / "results.csv");
  for (const char* name : {"box_xy", "box_wh", "objectness", "classes", "loss", "lr",
                           "images_per_s", "data_wait_percent", "map50", "recall", "val_loss"}) {
    CAPTURE(name);
    const auto column =
        static_cast<std::size_t>(std::find(csv[0].begin(), csv[0].end(), name) - csv[0].begin());
    CHECK(contains(html, "data-line=\"" + std::string(name) + "\" data-x=\"1 2\" data-y=\"" +
                             csv[1][column] + " " + csv[2][column] + "\""));
  }

  // Figures are those of the checkpoint on the val pictures.
  const OpenedRun run = open_run(options.out, "", "");
  const auto network = network_for_use(run.checkpoint, torch::kCPU);
  const auto metrics = evaluate(*network, run.reader, run.reader.pictures("val"), {});
  REQUIRE(metrics);
  CHECK(contains(html, "data-class=\"all\" data-map50=\"" + std::to_string(metrics->map50) + "\""));
  CHECK(contains(html, "data-class=\"red\" data-map=\""));

  // The loss of val is what its pictures have with the weights that were written with it.
  const auto [judged, loss] = network_and_loss(run, torch::kCPU);
  double sum = 0;
  for (const PictureLoss& picture :
       picture_losses(*judged, *loss, run.reader, run.reader.pictures("val"), {}).value())
    sum += picture.loss;
  const auto val_loss = static_cast<std::size_t>(
      std::find(csv[0].begin(), csv[0].end(), "val_loss") - csv[0].begin());
  const auto epoch = static_cast<std::size_t>(run.checkpoint.info.epochs_done);
  CHECK(std::stod(csv.at(epoch).at(val_loss)) == doctest::Approx(sum / 5).epsilon(1e-4));
  CHECK(contains(html, "data-labelled=\"red\" data-found=\"background\" data-n=\""));

  CHECK(count(html, "<figure") == 4);  // two worst, two best
  CHECK(count(html, "href=\"data:image/png;base64,iVBORw0KGgo") == 4);
  CHECK(count(html, "class=\"box\"") == 8);  // two labels each
  CHECK(count(html, "class=\"box found\"") > 0);
  CHECK(contains(html, " found, "));

  CHECK(contains(html, run.checkpoint.info.snapshot_digest));
  CHECK(contains(html, "data-setting=\"--batch\"><code>4</code>"));
  CHECK(contains(html, "data-setting=\"--log-every\"><code>10</code>"));
  CHECK(contains(html, "data-setting=\"device used\"><code>cpu</code>"));
  CHECK_FALSE(contains(html, "--used"));
  CHECK(contains(html, "data-setting=\"model\"><code>narrow-yolov3-tiny</code>"));
}

TEST_CASE("the worst picture of the page is the one with the largest loss per label") {
  RunBench bench({.train = 8, .val = 5});
  const FitOptions options = bench.options("run", 1);
  Trainer(options).run();
  const OpenedRun run = open_run(options.out, "", "");
  std::int64_t looked_at = 0;
  const auto validation =
      look_at_validation(run, {.pictures = run.reader.pictures("val"),
                               .evaluate = {.evaluated = [&](std::int64_t n) { looked_at += n; }}});
  REQUIRE(validation);
  CHECK(looked_at == 5);  // losses and boxes are of one pass
  const auto worst = std::max_element(validation->losses.begin(), validation->losses.end(),
                                      [](const PictureLoss& a, const PictureLoss& b) {
                                        return a.loss < b.loss;
                                      });  // two labels each
  const std::string name = run.reader.shard(worst->place.shard).name(worst->place.row);
  const std::string html = pictures_section(run, *validation, 1);
  CHECK(html.find("<figure data-picture=\"" + name + "\"") < html.find("<h3>Best</h3>"));
  CHECK(count(html, "<figure") == 2);
  char caption[64];
  std::snprintf(caption, sizeof caption, "<small>loss per label %.3f, ", worst->loss / 2);
  CHECK(contains(html, caption));
  CHECK(pictures_section(run, *validation, 0).empty());
  CHECK(count(pictures_section(run, *validation, 100), "<figure") == 10);
}

TEST_CASE("the page of a classifier has top-1 and the confusion of classes") {
  RunBench bench({.side = 32, .train = 8, .val = 6, .whole_pictures = true});
  FitOptions options = bench.options("run", 1);
  options.model = "minigooglenet";
  const FitResult result = Trainer(options).run();
  const std::string html = page_of(options.out);
  CHECK(contains(html, "data-line=\"top1\""));
  CHECK(contains(html, "data-top1=\"" + std::to_string(result.metrics->top1.value()) + "\""));
  CHECK(count(html, "data-labelled=") == 9);
  CHECK(contains(html, "labelled "));
  CHECK_FALSE(contains(html, "found=\"background\""));
}

TEST_CASE("without val pictures the page says so") {
  RunBench bench({.train = 8, .val = 0});
  const FitOptions options = bench.options("run", 1);
  Trainer(options).run();
  CHECK(contains(page_of(options.out), "There are no validation pictures."));
}

TEST_CASE("a missing file that the page needs is named; a stop gives no page") {
  RunBench bench;
  const FitOptions options = bench.options("run", 1);
  Trainer(options).run();
  const OpenedRun run = open_run(options.out, "", "");
  check_error(Exit::no_input,
              "last.safetensors: is a checkpoint; the page is about a run, name its folder",
              [&] { run_report(run, options.out / "last.safetensors"); });
  CHECK_FALSE(run_report(
      run, options.out,
      {.pictures = run.reader.pictures("val"), .evaluate = {.stop = [] { return true; }}}));
  std::filesystem::remove(options.out / "results.csv");
  check_error(Exit::no_input, "results.csv", [&] { run_report(run, options.out); });
}

TEST_CASE("a run is examined on the snapshot that it was trained on, if the store still has it") {
  RunBench bench;
  const FitOptions options = bench.options("run", 1);
  Trainer(options).run();
  DrawnStore{.train = 8, .val = 3, .seed = 2}.publish(bench.dir / "store");
  CHECK(open_run(options.out, "", "").reader.snapshot().generation == 1);
  CHECK(open_run(options.out, "", "latest").reader.snapshot().generation == 2);
  CHECK(contains(open_run(options.out, "", "2").text(), "best.safetensors, snapshot 2 of "));
  DrawnStore{.train = 8, .val = 3, .seed = 3}.publish(bench.dir / "another");
  CHECK(open_run(options.out, bench.dir / "another", "").reader.snapshot().generation ==
        1);  // other pictures: its latest
  DrawnStore{.side = 96}.publish(bench.dir / "larger");
  check_error(Exit::configuration, "was trained on pictures of side 64",
              [&] { open_run(options.out, bench.dir / "larger", ""); });

  Checkpoint imported = read_checkpoint(options.out / "last.safetensors", true);
  imported.info.configuration_json = "";
  write_checkpoint(bench.dir / "imported.safetensors", imported);
  check_error(
      Exit::usage,
      "imported.safetensors: does not say which store it was trained on; name one with --store",
      [&] { open_run(bench.dir / "imported.safetensors", "", ""); });
  CHECK(open_run(bench.dir / "imported.safetensors", options.store, "").options.model ==
        FitOptions{}.model);
}

TEST_CASE("a confusion of more classes than a page has room for is a sentence") {
  const std::vector<std::string> names(40, "x");
  CHECK(confusion_table(names, std::vector<std::int64_t>(1600)) ==
        "<p>40 classes are too many for a table; <code>eval --json</code> prints it.</p>\n");
  CHECK(contains(confusion_table({"a<b", "c"}, {5, 0, 2, 1234}),
                 "data-labelled=\"c\" data-found=\"c\" data-n=\"1234\">1,234</td>"));
}

TEST_CASE("the best values of a run stand with the epochs that they are of") {
  RunBench bench({.train = 8, .val = 5});
  const FitOptions options = bench.options("run", 2);
  Trainer(options).run();
  auto csv = read_csv(options.out / "results.csv");
  const auto put = [&](const std::string& name, const std::string& first,
                       const std::string& second) {
    const auto column = static_cast<std::size_t>(std::ranges::find(csv[0], name) - csv[0].begin());
    csv[1].at(column) = first;
    csv[2].at(column) = second;
  };
  put("map50", "0.25", "0.5");
  put("map50_95", "0.2", "0.125");
  const auto loss = std::ranges::find(csv[0], "val_loss") - csv[0].begin();
  const std::array<std::string, 3> goal{"recall@precision=0.9", "0.75", "0.5"};
  for (std::size_t i = 0; i < 3; ++i) csv[i].insert(csv[i].begin() + loss, goal[i]);
  std::string text;
  for (const auto& line : csv) {
    for (std::size_t i = 0; i < line.size(); ++i) text += (i > 0 ? "," : "") + line[i];
    text += "\n";
  }
  replace_file(options.out / "results.csv", text);
  const std::string html = page_of(options.out);
  CHECK_CONTAINS(html, "<b>0.5000</b><small>best mAP50, epoch 2</small>");
  CHECK_CONTAINS(html, "<b>0.2000</b><small>best mAP50-95, epoch 1</small>");
  // What --monitor names chose best.safetensors.
  CHECK_CONTAINS(html, "<b>0.7500</b><small>best recall@precision=0.9, epoch 1</small>");
  CHECK_CONTAINS(html, "data-line=\"recall@precision=0.9\" data-x=\"1 2\" data-y=\"0.75 0.5\"");
}
