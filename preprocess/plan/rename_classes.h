#pragma once
#include <optional>
#include <string>
#include <vector>

#include "preprocess/inputs/inputs.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/plan/previous.h"

namespace letterpress {

/// What the store holds, by the new names: a class keeps its id. When the new name is a class of
/// its own already the two become one: label files give its id to both, and the old name stays in
/// the list without boxes.
void rename_stored(Previous& previous, const BuildOptions& options);
/// classes: the store's and the label files', by the new names. Throws Error (usage) when that of a
/// rename is nowhere: then the old one was nowhere, too.
void check_renames(const BuildOptions& options, const std::vector<std::string>& classes);
/// Notes renames whose old name is nowhere although the new one is a class: misspelt, perhaps. A
/// rename that the last build was given too is not noted again.
void note_idle_renames(const BuildOptions& options, const Inputs& inputs,
                       const std::optional<Previous>& previous, BuildListener& listener);
/// Notes classes of one label file that a rename of an earlier build makes one: the old name may
/// have come back for a class of its own.
void note_united_classes(const Inputs& inputs, const Previous& previous, BuildListener& listener);

/// Labels are compared by class names. Entries of the last snapshot that only a rename would make
/// look edited get the new hash: with the old names, their labels are what they were.
void keep_renamed(const Inputs& inputs, Previous& previous);

/// Counts per class by the new names.
void rename_statistics(Statistics& statistics, const std::vector<ClassRename>& renames);

}  // namespace letterpress
