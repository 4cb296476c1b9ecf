package archtest

import (
	"go/ast"
	"go/token"
)

// ofErrors are the methods of errors, whose contracts the packages errors and i18n give.
var ofErrors = map[string]bool{"Error": true, "Unwrap": true, "Sentence": true, "Refused": true}

// checkDocumentation asks for a comment on every exported name but ofErrors. A comment on a group of constants or variables counts for all
// of it. Main packages export nothing.
func checkDocumentation(file source, report reporter) {
	if file.syntax.Name.Name == "main" {
		return
	}
	for _, declaration := range file.syntax.Decls {
		switch one := declaration.(type) {
		case *ast.FuncDecl:
			if one.Name.IsExported() && one.Doc == nil && !ofErrors[one.Name.Name] && reachable(one) {
				report(one.Pos(), "exported %s has no comment: say what it is, its units and errors", one.Name.Name)
			}
		case *ast.GenDecl:
			if one.Tok != token.IMPORT && one.Doc == nil {
				checkSpecs(one, report)
			}
		}
	}
}

func checkSpecs(group *ast.GenDecl, report reporter) {
	for _, spec := range group.Specs {
		switch one := spec.(type) {
		case *ast.TypeSpec:
			if one.Name.IsExported() && one.Doc == nil && one.Comment == nil {
				report(one.Pos(), "exported %s has no comment: say what it is, its units and errors", one.Name.Name)
			}
		case *ast.ValueSpec:
			if one.Names[0].IsExported() && one.Doc == nil && one.Comment == nil {
				report(one.Pos(), "exported %s has no comment: say what it is, its units and errors", one.Names[0].Name)
			}
		}
	}
}

// reachable says whether other packages can call a function: a method only if its type is exported too.
func reachable(function *ast.FuncDecl) bool {
	if function.Recv == nil {
		return true
	}
	receiver := function.Recv.List[0].Type
	for {
		switch one := receiver.(type) {
		case *ast.StarExpr:
			receiver = one.X
		case *ast.IndexExpr:
			receiver = one.X
		case *ast.IndexListExpr:
			receiver = one.X
		case *ast.Ident:
			return one.IsExported()
		default:
			return false
		}
	}
}
