// A plugin for clang-tidy, which otherwise spends as long on the libraries' headers as on everything else, only to leave
// out what it found in them: it is shown the declarations of our own files alone. What these use is still known.
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

namespace {

class OwnDeclarations : public clang::ASTConsumer {
 public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group) {
      const clang::SourceManager& sources = declaration->getASTContext().getSourceManager();
      if (!sources.isInSystemHeader(declaration->getLocation())) own_.push_back(declaration);
    }
    return true;
  }

  // Runs before clang-tidy's own consumer, which looks at what is in this scope.
  void HandleTranslationUnit(clang::ASTContext& context) override { context.setTraversalScope(own_); }

 private:
  std::vector<clang::Decl*> own_;
};

class OwnCode : public clang::PluginASTAction {
 public:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<OwnDeclarations>();
  }

  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }

  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<OwnCode> kOwnCode("own-code",
                                                           "shows what comes after it our own files alone");

}  // namespace
