// clang-tidy as a plugin of Clang, so that a file is parsed once to be compiled and looked at: parsing takes most of
// clang-tidy's time. It is shown the declarations of our own files alone, as it otherwise spends as long on the libraries'
// headers only to leave out what it found in them. What it reports is an error of the compiler.
// (Its own plugin, libclangTidyPlugin, knows no filter of headers and makes no errors of warnings.)
#include <clang-tidy/ClangTidy.h>
#include <clang-tidy/ClangTidyDiagnosticConsumer.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

namespace {

using clang::ASTConsumer;
using clang::CompilerInstance;
using clang::DiagnosticsEngine;

class Tidy : public ASTConsumer {
 public:
  Tidy(CompilerInstance& compiler, llvm::StringRef file)
      : compiler_(compiler),
        context_(std::make_unique<clang::tidy::FileOptionsProvider>(
            clang::tidy::ClangTidyGlobalOptions(), clang::tidy::ClangTidyOptions::getDefaults(),
            clang::tidy::ClangTidyOptions())),
        found_(context_),
        engine_(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &found_, false) {
    context_.setDiagnosticsEngine(&engine_);
    context_.setSourceManager(&compiler.getSourceManager());
    checks_ = clang::tidy::ClangTidyASTConsumerFactory(context_).createASTConsumer(compiler, file);
  }

  void Initialize(clang::ASTContext& context) override { checks_->Initialize(context); }

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group)
      if (!compiler_.getSourceManager().isInSystemHeader(declaration->getLocation()))
        own_.push_back(declaration);
    return checks_->HandleTopLevelDecl(group);
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (compiler_.getDiagnostics().hasErrorOccurred()) return;
    context.setTraversalScope(own_);
    checks_->HandleTranslationUnit(context);
    context.setTraversalScope({context.getTranslationUnitDecl()});
    for (const clang::tidy::ClangTidyError& error : found_.take()) {
      report(DiagnosticsEngine::Error, error.Message, " [" + error.DiagnosticName + "]");
      for (const clang::tooling::DiagnosticMessage& note : error.Notes)
        report(DiagnosticsEngine::Note, note, "");
    }
  }

 private:
  void report(DiagnosticsEngine::Level level, const clang::tooling::DiagnosticMessage& message,
              const std::string& check) {
    clang::SourceLocation where;
    if (const auto file = compiler_.getFileManager().getOptionalFileRef(message.FilePath)) {
      const clang::SourceManager& sources = compiler_.getSourceManager();
      where = sources.getLocForStartOfFile(sources.translateFile(*file))
                  .getLocWithOffset(static_cast<int>(message.FileOffset));
    }
    DiagnosticsEngine& out = compiler_.getDiagnostics();
    out.Report(where, level == DiagnosticsEngine::Error
                          ? out.getCustomDiagID(DiagnosticsEngine::Error, "%0%1")
                          : out.getCustomDiagID(DiagnosticsEngine::Note, "%0%1"))
        << message.Message << check;
  }

  CompilerInstance& compiler_;
  clang::tidy::ClangTidyContext context_;
  clang::tidy::ClangTidyDiagnosticConsumer found_;
  DiagnosticsEngine engine_;
  std::unique_ptr<ASTConsumer> checks_;
  std::vector<clang::Decl*> own_;
};

class TidyAction : public clang::PluginASTAction {
 public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, llvm::StringRef file) override {
    return std::make_unique<Tidy>(compiler, file);
  }

  bool ParseArgs(const CompilerInstance&, const std::vector<std::string>&) override { return true; }

  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<TidyAction> kTidy("tidy", "clang-tidy of our own files");

}  // namespace
